package scenario

// features are asked in this order at each step.
func features() []*feature {
	return []*feature{&pauseFeature, &telemetryFeature, &creditFeature, &deflectFeature, &detourFeature}
}
