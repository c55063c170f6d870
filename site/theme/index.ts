/** VitePress's own theme with system fonts, and what can be tried in the page. */
import DefaultTheme from "vitepress/theme-without-fonts";
import type { Theme } from "vitepress";
import { TryIt } from "./TryIt.js";
import "./style.css";

const theme: Theme = {
  extends: DefaultTheme,
  enhanceApp: ({ app }) => void app.component("TryIt", TryIt),
};
export default theme;
