// sizes
function sizesSection() {}
