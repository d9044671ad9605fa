// map
function mapSection() {}
