// timeline
function timelinesSection() {}
