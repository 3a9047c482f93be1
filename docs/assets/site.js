// Names for parts of the page that the theme leaves without one of their own, for readers who hear it.
const name = (element, text) => {
  element.removeAttribute("aria-labelledby");
  element.setAttribute("aria-label", text);
};
document.querySelectorAll(".md-search").forEach((search) => name(search, "Search"));
document.querySelectorAll("nav.md-nav").forEach((nav, i) => name(nav, `Pages, part ${i + 1}`));
const tools = () => document.querySelectorAll("nav.md-code__nav").forEach((nav, i) => name(nav, `Code ${i + 1}`));
new MutationObserver(tools).observe(document.body, { childList: true, subtree: true });
