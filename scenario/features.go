package scenario

// features lists the features in the order in which each step calls them. Hosts come first,
// since the headroom of pauses depends on how long hosts hold frames back.
func features() []*feature {
	return []*feature{
		&jitterFeature, &interruptFeature, &nicFeature, &poolFeature,
		&pauseFeature, &telemetryFeature, &creditFeature, &controllerFeature, &deflectFeature, &detourFeature, &laneFeature, &schedulerFeature,
		&recoveryFeature, &resendFeature, &orderFeature, &creditPlacesFeature, &reactionFeature, &convergenceFeature, &jobFeature, &liveFeature,
	}
}

// needTable has one row per need, in the order of messages and lists.
func needTable() []*need {
	return []*need{
		&classNeed, creditFeature.offers, &trimmingNeed, &markNeed, &symmetricNeed, &onePathNeed,
		&ackClockNeed, &packetAckNeed, &connectionNeed, &echoNeed,
		&deepQueueNeed, &sharedBufferNeed, &pairNeed, telemetryFeature.offers, pauseFeature.offers, &layerNeed,
	}
}
