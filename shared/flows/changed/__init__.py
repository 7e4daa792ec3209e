"""What of a page has changed since a flow was made, where the flow still found what it looked for."""
