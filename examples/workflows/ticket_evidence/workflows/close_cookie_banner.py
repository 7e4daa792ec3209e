"""Dismiss a cookie banner without accepting anything, if the page in the browser shows one."""


def run(button_name: str = "Reject all") -> bool:
    """Press the button in a dialog that has this name.

    Args:
        button_name: The name of the button that refuses cookies.

    Returns:
        Whether there was a banner.

    Raises:
        LookupError: The banner has the button more than once.
    """
    page = tools.browser.observe()
    buttons = [
        one
        for one in page["elements"]
        if one["role"] == "button" and one["name"] == button_name and one.get("in_dialog")
    ]
    if len(buttons) > 1:
        raise LookupError(f"{page['url']} shows {len(buttons)} buttons {button_name!r}")
    for button in buttons:
        tools.browser.click(target=button["ref"])
    return bool(buttons)
