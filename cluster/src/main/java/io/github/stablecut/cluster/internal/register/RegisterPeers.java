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
 * Those that keep the register now, as a part of it knows them, and who they are to be next.
 * Immutable.
 *
 * <p>Invariants: one node comes, or goes, or takes the place of one that goes, at a time: Ratis
 * refuses a step in which as many are new as are not. None goes without another in its place unless
 * a majority of the others is heard.
 *
 * @param all those that keep it
 * @param silentMillis how long the leader has not heard the others; known to the leader only
 * @param self this part
 */
record RegisterPeers(List<RaftPeer> all, Map<String, Long> silentMillis, String self) {
  /** Who was not heard for longer may be gone. */
  static final long HEARD_MILLIS = 3_000;

  /** Of fewer, none takes the place of another one. */
  private static final int FEW = 3;

  RegisterPeers {
    all = List.copyOf(all);
    silentMillis = Map.copyOf(silentMillis);
  }

  /** As a server knows them. */
  static RegisterPeers of(RaftServer server, RaftGroupId group) throws IOException {
    RaftServer.Division division = server.getDivision(group);
    Collection<RaftPeer> all = division.getRaftConf().getCurrentPeers();
    return new RegisterPeers(
        List.copyOf(all), silentMillis(division.getInfo()), server.getId().toString());
  }

  private static Map<String, Long> silentMillis(DivisionInfo info) {
    if (!info.isLeader()) {
      // Ratis has no answer of a part that was not let in yet.
      return Map.of();
    }
    Map<String, Long> millis = new HashMap<>();
    for (ServerRpcProto one : info.getRoleInfoProto().getLeaderInfo().getFollowerInfoList()) {
      var unused = millis.put(one.getId().getId().toStringUtf8(), one.getLastRpcElapsedTimeMs());
    }
    return millis;
  }

  static RaftPeer peer(String name) {
    return RaftPeer.newBuilder().setId(RaftPeerId.valueOf(name)).setAddress("none:0").build();
  }

  static String nodeOf(RaftPeer peer) {
    return Configuration.nodeOf(peer.getId().toString());
  }

  /** The names of the nodes. */
  Set<String> nodes() {
    return all.stream().map(RegisterPeers::nodeOf).collect(Collectors.toSet());
  }

  boolean contains(String name) {
    return all.contains(peer(name));
  }

  /**
   * With a newcomer, instead of what the same node was before, or of one that is not to keep it any
   * more, if there is one: rather one that is not heard, and the leader last.
   */
  List<RaftPeer> with(String newcomer, List<String> planned) {
    Optional<RaftPeer> before =
        all.stream().filter(one -> nodeOf(one).equals(Configuration.nodeOf(newcomer))).findFirst();
    Optional<RaftPeer> instead =
        before.isPresent() || all.size() < FEW ? before : surplus(planned).stream().findFirst();
    List<RaftPeer> next = new ArrayList<>(all);
    boolean unused = instead.isPresent() && next.remove(instead.get());
    next.add(peer(newcomer));
    return next;
  }

  /** Those that are to keep it, and do not yet. */
  List<String> missing(List<String> planned) {
    Set<String> nodes = nodes();
    return planned.stream().filter(one -> !nodes.contains(one)).toList();
  }

  /**
   * Without one that is not to keep it any more. Empty if there is none, or if one is missing that
   * is to, or if fewer than a majority of the others is heard.
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

  /**
   * What the leader tells of them: its own name, those that it hears, and those that it does not.
   */
  List<List<String>> told() {
    List<String> heard = new ArrayList<>();
    List<String> silent = new ArrayList<>();
    for (RaftPeer one : all) {
      if (!isSelf(one)) {
        boolean unused = (isHeard(one) ? heard : silent).add(nodeOf(one));
      }
    }
    return List.of(List.of(Configuration.nodeOf(self)), heard, silent);
  }

  boolean isHeard(RaftPeer one) {
    return millis(one) < HEARD_MILLIS;
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

  private long millis(RaftPeer one) {
    return isSelf(one) ? 0 : silentMillis.getOrDefault(one.getId().toString(), Long.MAX_VALUE);
  }
}
