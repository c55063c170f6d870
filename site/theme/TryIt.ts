/** A program that is tried in the page: the playground in a frame, which is loaded only when it is asked for. */
import { withBase } from "vitepress";
import { defineComponent, h, ref } from "vue";

export const TryIt = defineComponent({
  props: {
    /** What is tried. */
    name: { type: String, required: true },
    /** The fragment of the playground's address. */
    link: { type: String, required: true },
  },
  setup(props) {
    const isOpen = ref(false);
    const address = (): string => `${withBase("/try/index.html")}${props.link}`;
    return () =>
      h("div", { class: "try-it" }, [
        h("p", [
          h(
            "button",
            { type: "button", "aria-expanded": isOpen.value, onClick: () => (isOpen.value = !isOpen.value) },
            isOpen.value ? "Close" : "Try it",
          ),
          " ",
          h("a", { href: address(), target: "_blank", rel: "noopener" }, "in a page of its own"),
        ]),
        isOpen.value && h("iframe", { src: address(), title: `The playground with ${props.name}` }),
      ]);
  },
});
