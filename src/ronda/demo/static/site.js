// Marks the menu entry of the section being read.
document.addEventListener("DOMContentLoaded", () => {
  for (const link of document.querySelectorAll(".top nav a")) {
    if (link.pathname !== "/" && location.pathname.startsWith(link.pathname)) link.style.textDecoration = "underline";
  }
});
