// timesvg
