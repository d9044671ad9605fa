// studychart
function studySection() {}
