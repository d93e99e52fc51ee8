"""What the node hears of the load: wrenches of a sensor, or efforts of joints."""
