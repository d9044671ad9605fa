// Package expresspass is ExpressPass (Cho, Jang, Han, "Credit-Scheduled Delay-Bounded
// Congestion Control for Datacenters", SIGCOMM 2017), sender and receiver of a host in one
// state machine ([protocol.HostTransport]).
//
// A sender asks for credits when it has something to send, and sends one packet of data for
// each credit that comes. Receivers send credits at a rate that they adapt for each flow.
// Every port, and the NIC of a host with it, lets credits through at the rate at which the
// data that they bring fills the link the other way, 84/(84+1538) of it, with a bucket of two
// credits; eight of 84 B wait, and what comes on top is dropped ([protocol.CreditClass], §3.1). Data
// retraces the path of its credits, so that no more of it comes to a port than the port let
// credits through: queues of data are as short as paths differ, and never overflow.
//
// Credits that are dropped are how a receiver learns of congestion (§3.2). Data carries the
// number of its credit; a number that was passed over was dropped. Once in a round-trip time
// a flow's rate goes up towards the most that a link lets through, by a share w that grows
// while it does, if no more credits were dropped than a target, or else down, and w halves.
//
// # Presets
//
// "paper" is the SIGCOMM 2017 paper, and "sird" its public simulator as the tables of SIRD's
// evaluation (NSDI 2025, Tables 4 and 5) were made with it. They differ in this:
//
//   - The target is 10 % (paper), or 1/8 of the share of the rate that a flow does not have
//     (sird).
//   - An increase goes to (1-w) rate + w most (1+target), with w half the way to its bound
//     each time (paper), or to (1-w) rate + w most, with w up by 0.05 (sird).
//   - A decrease goes to rate (1-loss) (1+target) (paper), or to the rate at which data came
//     times (1+target), if that is less (sird).
//   - Credits are 84 to 92 B (paper) or 76 to 92 B (sird); the gap between them is that of
//     the mean.
//   - With less than 40 packets to send at a request, credits begin in proportion slower
//     (sird).
//   - Senders stop credits when the last byte is out (paper and sird), and also when within a
//     round-trip time or a little more as many came as packets are left (sird).
//   - A message is a flow of its own (paper), or uses one of 40 connections between two hosts
//     (sird), which begins anew with each message but for the receiver's round-trip time, and
//     is free again when the answer came.
//   - What a receiver has counted of credits since the last change, and whether w may grow,
//     begins anew with each request (paper), or goes on when a message asks again after an
//     early stop (sird). w may grow at the first increase (paper), or not before the second of
//     a message (sird).
//   - Credits that come two round-trip times after the CREDIT_STOP of a message that was sent
//     in full draw another one (paper), or nothing (sird).
//   - A request that draws no credit is repeated after 100 us, and then after twice as long
//     each time (paper, which says nothing of it), or every 100 us (sird). Where many wait for
//     credits that is load of its own: 40 connections to each of 143 hosts take 38 Gb/s of a
//     host's link, which is more than oversubscribed uplinks have left beside their data.
//   - The round-trip time of a sender is that from its request to the first credit. With sird
//     it is from the last request, and a host has one for a connection whichever way it sends:
//     what an answer waited for its credit goes on as that of the next message's receiver.
//   - A message is confirmed by a control frame (paper), or by a packet that needs a request
//     and a credit of its own (sird).
//
// # Parameters
//
// [Options] lists them with their defaults: first rate and w 1/16 in both presets, as Table 2
// of SIRD's paper has them, where scripts of ExpressPass's public ns-2 code have 1/2 for
// both, or for the rate; w from 0.01 to 0.5, pauses between credits longer or shorter by up to 10 %, 100 us
// until a request is repeated. A fabric for it, and the sizes that go with it:
//
//	fabric: {classes: 2, ecn: "off", credits: {}}
//	transport: {payload: 1460B, header: 78B, ack: {size: 84B}, congestion: expresspass, balancer: ecmp}
//
// Credits travel in class 0, all else in the class after that of the scenario. Each flow has
// one entropy for both directions, which switches hash with the unordered pair of hosts.
//
// What preset sird does was compared with agent and application of SIRD's simulator. What preset paper
// takes from the paper's Algorithm 1 and §3.1 (target of 10 %, w half the way to its bound,
// credits of 84 to 92 B) was not compared with its text, and the public simulator has it
// otherwise.
//
// # Losses of data
//
// The paper has none. As in ExpressPass's own simulator, a receiver that finds a gap asks for
// what is missing and the sender goes back to it; SIRD's stops there. Beyond both, a sender
// whose credits stay away asks for them again, and one that sent all asks what became of the
// message: after 100 us, and twice as long each time (paper), or every 6.4 ms (sird), which
// the receiver leaves without a word while its answer waits for credits.
//
// # Departures and simplifications
//
//   - With Algorithm 1's decrease a burst of losses counts twice, since what a receiver counts
//     is a round trip old: four long flows to one receiver take 25 % longer than the link
//     would. Counting just credits sent since the last change takes that to 13 %, and starts
//     flows more slowly; the rule of the public simulator does neither.
//   - A sender of preset paper knows a round-trip time from its request, where the first
//     version of ExpressPass's own simulator knows one only once data came the other way, and
//     waits 2 ms without.
//   - A receiver stops credits when it has all of a message or an answer, and a sender that
//     credits come to for one that is done stops them, also if the CREDIT_STOP behind the last
//     packet was lost.
//   - Messages can be taken back (cancel.go). Their connection carries another one at once, and
//     credits that still come bring nothing.
//   - Messages of less than 4 B stay as they are, where SIRD's application makes them 4 B;
//     each takes the least frame.
//   - Two of a pool's connections have the same entropy now and then, and with it the same
//     path and the round-trip time that an answer left.
//   - Ports that fail, and routes that change, may leave data on other paths than its
//     credits; flows go on, and queues are not bounded then.
package expresspass
