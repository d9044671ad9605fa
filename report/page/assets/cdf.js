// cdf
function cdfSection() {}
