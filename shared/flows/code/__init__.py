"""What the code of a flow calls, and its calls as it makes them."""
