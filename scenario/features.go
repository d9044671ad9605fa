package scenario

// features are asked in this order at each step. Hosts come first, since the headroom of pauses counts what they hold back.
func features() []*feature {
	return []*feature{
		&jitterFeature, &interruptFeature, &pauseFeature, &telemetryFeature, &creditFeature, &controllerFeature, &deflectFeature, &detourFeature, &laneFeature, &orderFeature,
	}
}
