package scenario

// features are asked in this order at each step. Hosts come first, since the headroom of pauses counts what they hold back.
func features() []*feature {
	return []*feature{
		&jitterFeature, &interruptFeature, &nicFeature, &poolFeature,
		&pauseFeature, &telemetryFeature, &creditFeature, &controllerFeature, &deflectFeature, &detourFeature, &laneFeature, &schedulerFeature,
		&recoveryFeature, &resendFeature, &orderFeature, &creditPlacesFeature, &reactionFeature, &convergenceFeature, &jobFeature, &liveFeature,
	}
}

// needTable has a row for each need. Its order is that of messages and lists.
func needTable() []*need {
	return []*need{
		&classNeed, creditFeature.offers, &trimmingNeed, &markNeed, &symmetricNeed, &onePathNeed,
		&ackClockNeed, &packetAckNeed, &connectionNeed, &echoNeed,
		&deepQueueNeed, &sharedBufferNeed, &pairNeed, telemetryFeature.offers, pauseFeature.offers, &layerNeed,
	}
}
