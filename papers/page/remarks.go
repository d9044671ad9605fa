package page

// remarks are what is to be said under a figure beside its caption.
type remarks struct {
	// hollow tells that points are hollow, since they are not of the scale that is
	// preferred, as others are.
	hollow bool
}

// text is the remarks as sentences; hollow is the scale of hollow points.
func (r *remarks) text(hollow string) string {
	if r.hollow {
		return "Hollow points are of scale " + hollow + "."
	}
	return ""
}
