# Three switches in a ring, with a host on two of them.
Creator "by hand"
graph [
  comment "edges may stand before their nodes"
  edge [ source 10 target 11 bandwidth "100Gbps" ]
  node [ id 10 label "host0" role "host" ]
  node [ id 11 label "a" kind "switch" latency "300ns" tier 1 ]
  node [ id 12 label "host1" role "server" ]
  node [ id 13 label "b" kind "router" ]
  node [ id 14 label "c" ]
  edge [ source 12 target 13 capacity "100Gbps" latency "500ns" ]
  edge [ source 11 target 13 rate "400Gbps" delay "1us" ]
  edge [ source 13 target 14 rate "400Gbps" graphics [ width 2.0 ] ]
  edge [ source 14 target 11 rate "400Gbps" ]
]
