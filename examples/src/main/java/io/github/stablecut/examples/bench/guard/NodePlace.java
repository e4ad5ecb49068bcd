package io.github.stablecut.examples.bench.guard;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * A node's place in a cluster on this machine, which has one partition and a replica of it on each
 * node. Immutable.
 *
 * @param number of the node among the ports
 * @param ports of all nodes, for each other
 */
record NodePlace(int number, List<Integer> ports) {
  /** A class of the versions that call replicas so; earlier ones call them copies. */
  private static final String OF_REPLICAS = "io.github.stablecut.cluster.PartitionReplicaLocation";

  /** The places of all nodes. */
  static List<NodePlace> all(List<Integer> ports) {
    return Stream.iterate(0, number -> number + 1)
        .limit(ports.size())
        .map(number -> new NodePlace(number, ports))
        .toList();
  }

  /** The place as arguments of a process. */
  List<String> toArguments() {
    List<String> arguments = new ArrayList<>(List.of("" + number));
    ports.forEach(port -> arguments.add("" + port));
    return arguments;
  }

  /** Reads what {@link #toArguments} has written. */
  static NodePlace ofArguments(List<String> arguments) {
    return new NodePlace(
        Integer.parseInt(arguments.get(0)),
        arguments.stream().skip(1).map(Integer::valueOf).toList());
  }

  /** The options of the command that serves a node, in the words of the version at hand. */
  List<String> options() {
    return List.of(
        "--node",
        "n" + number,
        "--cluster-port",
        "" + ports.get(number),
        "--join",
        ports.stream().map(port -> "127.0.0.1:" + port).collect(Collectors.joining(",")),
        "--form-with",
        "" + ports.size(),
        "--partitions",
        "1",
        isPresent(OF_REPLICAS) ? "--replicas" : "--copies",
        "" + ports.size());
  }

  private static boolean isPresent(String type) {
    try {
      Class.forName(type);
      return true;
    } catch (ClassNotFoundException e) {
      return false;
    }
  }
}
