"""Messages of browser_pool beside those of its pages: login states, and the APIs that tasks ask."""
