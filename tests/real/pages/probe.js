// Tells the server what the page holds, whenever that is different: an account that observations and actions have no part in.
// The page defines `probe`, which returns the value of each of its widgets.
{
  let told;
  const name = new URLSearchParams(location.search).get('name');
  setInterval(() => {
    const now = JSON.stringify(window.probe());
    if (now !== told) navigator.sendBeacon('/told/' + name, told = now);
  }, 100);
}
