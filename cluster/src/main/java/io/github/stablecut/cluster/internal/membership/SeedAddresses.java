package io.github.stablecut.cluster.internal.membership;

import io.github.stablecut.cluster.SettingsException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.Collections;
import java.util.List;

/**
 * Checks that a node recognizes itself among the seeds. Nodes are identified by the text of their
 * address, and drop messages to any other text. A seed that names the node differently would never
 * answer, and no node would be the first seed.
 */
public final class SeedAddresses {
  private SeedAddresses() {}

  /**
   * Checks that other nodes can reach the node at its address, and that no seed names the node
   * differently.
   *
   * @throws SettingsException if not
   */
  public static void check(List<String> seeds, NodeSettings.Endpoint own) {
    List<InetAddress> addresses = resolve(own.host());
    if (addresses.stream().anyMatch(InetAddress::isAnyLocalAddress)) {
      throw new SettingsException(
          "no other node reaches this one at %s, which stands for every address of a machine: set cluster.bind to one address"
              .formatted(own.address()));
    }
    for (String seed : seeds) {
      if (!seed.equals(own.address()) && leadsTo(seed, own, addresses)) {
        throw new SettingsException(
            "the seed %s is this node, whose address is %s: use %s in the seeds of all nodes, or set cluster.bind and cluster.port to match the seed"
                .formatted(seed, own.address(), own.address()));
      }
    }
  }

  private static boolean leadsTo(
      String seed, NodeSettings.Endpoint own, List<InetAddress> addresses) {
    int colon = seed.lastIndexOf(':');
    int port = Integer.parseInt(seed.substring(colon + 1));
    return (port == own.port() || port == own.listenPort())
        && !Collections.disjoint(resolve(seed.substring(0, colon)), addresses);
  }

  /** The addresses of a host; empty if it can't be resolved now. */
  private static List<InetAddress> resolve(String host) {
    try {
      return List.of(InetAddress.getAllByName(host));
    } catch (UnknownHostException e) {
      return List.of();
    }
  }
}
