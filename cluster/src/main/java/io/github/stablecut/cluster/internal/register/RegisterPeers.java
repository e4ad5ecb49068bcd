package io.github.stablecut.cluster.internal.register;

import io.github.stablecut.internal.replica.Configuration;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.apache.ratis.proto.RaftProtos.ServerRpcProto;
import org.apache.ratis.protocol.RaftGroupId;
import org.apache.ratis.protocol.RaftPeer;
import org.apache.ratis.protocol.RaftPeerId;
import org.apache.ratis.server.DivisionInfo;
import org.apache.ratis.server.RaftServer;

/**
 * The current keepers of the register, as one of them knows them, and the steps to the planned
 * ones. Immutable.
 *
 * <p>Invariants: a step adds, removes or replaces one node, as Ratis refuses a step with as many
 * new peers as old ones. No node is removed without a replacement unless the leader hears a
 * majority of the others.
 *
 * @param all the current keepers
 * @param silentMillis how long ago the leader heard each other keeper, by name; empty except on the
 *     leader
 * @param self the name of this keeper
 */
record RegisterPeers(List<RaftPeer> all, Map<String, Long> silentMillis, String self) {
  /** A keeper that was silent for longer may have failed. */
  static final long SILENT_AFTER_MILLIS = 3_000;

  /** With fewer keepers, a new one is added without replacing another. */
  private static final int MIN_TO_REPLACE = 3;

  RegisterPeers {
    all = List.copyOf(all);
    silentMillis = Map.copyOf(silentMillis);
  }

  /** The keepers, as a server knows them. */
  static RegisterPeers of(RaftServer server, RaftGroupId group) throws IOException {
    RaftServer.Division division = server.getDivision(group);
    Collection<RaftPeer> all = division.getRaftConf().getCurrentPeers();
    return new RegisterPeers(
        List.copyOf(all), silentMillis(division.getInfo()), server.getId().toString());
  }

  private static Map<String, Long> silentMillis(DivisionInfo info) {
    if (!info.isLeader()) {
      // Only the leader knows it; on a part that was not admitted yet, Ratis can't even be asked.
      return Map.of();
    }
    Map<String, Long> millis = new HashMap<>();
    for (ServerRpcProto one : info.getRoleInfoProto().getLeaderInfo().getFollowerInfoList()) {
      millis.put(one.getId().getId().toStringUtf8(), one.getLastRpcElapsedTimeMs());
    }
    return millis;
  }

  static RaftPeer peer(String name) {
    return RaftPeer.newBuilder().setId(RaftPeerId.valueOf(name)).setAddress("none:0").build();
  }

  static String nodeOf(RaftPeer peer) {
    return Configuration.nodeOf(peer.getId().toString());
  }

  /** The names of the keepers' nodes. */
  Set<String> nodes() {
    return all.stream().map(RegisterPeers::nodeOf).collect(Collectors.toSet());
  }

  boolean contains(String name) {
    return all.contains(peer(name));
  }

  /**
   * The keepers with a new one. It replaces the same node's earlier part, or else a surplus keeper
   * if there is one: preferably a silent one, and the leader last.
   */
  List<RaftPeer> with(String newcomer, List<String> planned) {
    Optional<RaftPeer> before =
        all.stream().filter(one -> nodeOf(one).equals(Configuration.nodeOf(newcomer))).findFirst();
    Optional<RaftPeer> instead =
        before.isPresent() || all.size() < MIN_TO_REPLACE
            ? before
            : surplus(planned).stream().findFirst();
    List<RaftPeer> next = new ArrayList<>(all);
    instead.ifPresent(next::remove);
    next.add(peer(newcomer));
    return next;
  }

  /** The planned keepers that are not keepers yet. */
  List<String> missing(List<String> planned) {
    Set<String> nodes = nodes();
    return planned.stream().filter(one -> !nodes.contains(one)).toList();
  }

  /**
   * The keepers without one surplus keeper. Empty if there is none, if a planned keeper is missing,
   * or if the leader does not hear a majority of the others.
   */
  Optional<List<RaftPeer>> without(List<String> planned) {
    List<RaftPeer> surplus = surplus(planned);
    if (surplus.isEmpty() || !missing(planned).isEmpty()) {
      return Optional.empty();
    }
    List<RaftPeer> next = all.stream().filter(one -> !one.equals(surplus.get(0))).toList();
    return next.stream().filter(this::isHeard).count() * 2 > next.size()
        ? Optional.of(next)
        : Optional.empty();
  }

  /** The leader's report: its own node, the keepers that it hears, and the silent ones. */
  List<List<String>> report() {
    List<String> answered = new ArrayList<>();
    List<String> silent = new ArrayList<>();
    for (RaftPeer one : all) {
      if (!isSelf(one)) {
        (isHeard(one) ? answered : silent).add(nodeOf(one));
      }
    }
    return List.of(List.of(Configuration.nodeOf(self)), answered, silent);
  }

  boolean isHeard(RaftPeer one) {
    return silenceMillis(one) < SILENT_AFTER_MILLIS;
  }

  private List<RaftPeer> surplus(List<String> planned) {
    return all.stream()
        .filter(one -> !planned.contains(nodeOf(one)))
        .sorted(Comparator.comparing((RaftPeer one) -> isSelf(one)).thenComparing(this::isHeard))
        .toList();
  }

  private boolean isSelf(RaftPeer one) {
    return one.getId().toString().equals(self);
  }

  private long silenceMillis(RaftPeer one) {
    return isSelf(one) ? 0 : silentMillis.getOrDefault(one.getId().toString(), Long.MAX_VALUE);
  }
}
