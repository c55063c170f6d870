/** VitePress's own theme with system fonts, and what can be tried in the page. */
import { useData, type Theme } from "vitepress";
import DefaultTheme from "vitepress/theme-without-fonts";
import { defineComponent, h, watchPostEffect } from "vue";
import { TryIt } from "./TryIt.js";
import "./style.css";

const Layout = defineComponent({
  setup() {
    const { frontmatter } = useData();
    // the layout of the first page has no main part, all others have
    watchPostEffect(() => {
      const isHome = frontmatter.value["layout"] === "home";
      const content = document.getElementById("VPContent");
      if (isHome) content?.setAttribute("role", "main");
      else content?.removeAttribute("role");
    });
    return () => h(DefaultTheme.Layout);
  },
});

const theme: Theme = {
  extends: DefaultTheme,
  Layout,
  enhanceApp: ({ app }) => void app.component("TryIt", TryIt),
};
export default theme;
