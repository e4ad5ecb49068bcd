package io.github.stablecut.cluster.internal.membership;

import io.github.stablecut.cluster.SettingsException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.Collections;
import java.util.List;

/**
 * Whether a node would know itself among the seeds. Nodes are known by the text of their address,
 * and drop what was sent to another text: a seed that leads to the node under another name would
 * never answer, and nobody would be the first.
 */
public final class SeedAddresses {
  private SeedAddresses() {}

  /**
   * Checks that the own address is one under which others reach the node, and that the node is
   * among the seeds under it, if at all.
   *
   * @throws SettingsException if not
   */
  public static void check(List<String> seeds, NodeSettings.Endpoint own) {
    List<InetAddress> addresses = resolve(own.host());
    if (addresses.stream().anyMatch(InetAddress::isAnyLocalAddress)) {
      throw new SettingsException(
          "no other node reaches this one at %s, which is every address of a machine: name one of them as cluster.bind"
              .formatted(own.address()));
    }
    for (String seed : seeds) {
      if (!seed.equals(own.address()) && leadsTo(seed, own, addresses)) {
        throw new SettingsException(
            "the seed %s is this node, which calls itself %s: write %s among the seeds of all nodes, or name cluster.bind and cluster.port as the seed is"
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

  /** The addresses of a host; none if it is not known, which may be different soon. */
  private static List<InetAddress> resolve(String host) {
    try {
      return List.of(InetAddress.getAllByName(host));
    } catch (UnknownHostException e) {
      return List.of();
    }
  }
}
