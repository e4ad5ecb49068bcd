package io.github.stablecut.cluster.internal.register;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.lang.reflect.Proxy;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.apache.ratis.proto.RaftProtos.AppendEntriesRequestProto;
import org.apache.ratis.proto.RaftProtos.InstallSnapshotRequestProto;
import org.apache.ratis.proto.RaftProtos.RequestVoteRequestProto;
import org.apache.ratis.server.RaftServer;
import org.apache.ratis.server.RaftServerRpc;
import org.apache.ratis.server.ServerFactory;
import org.junit.jupiter.api.Test;

/** A server whose vote was lost on a full disk never votes twice in a term. */
final class VotedTermsTest extends RegisterNodes {
  /** A number of milliseconds ahead of all clocks. */
  private static final long LATE = 5_000_000_000_000L;

  /** The directory of a node's Raft group. */
  private Path group(String node) throws IOException {
    try (Stream<Path> files = Files.list(directory.resolve(node))) {
      return files.filter(Files::isDirectory).findAny().orElseThrow();
    }
  }

  private static void writeVote(Path group, String text) throws IOException {
    Path current = Files.createDirectories(group.resolve("current"));
    Files.writeString(current.resolve("raft-meta"), text);
  }

  private static long term(Path group) throws IOException {
    return VoteFileRepair.term(group).orElseThrow();
  }

  private void closeAll() {
    registers.values().forEach(RatisRegister::close);
    registers.clear();
  }

  private void setTerms(List<String> nodes, long term) throws IOException {
    for (String node : nodes) {
      writeVote(group(node), "term=%d\nvotedFor=\n".formatted(term));
    }
  }

  @Test
  void rewritesALostVoteWithATermAboveAllThatWereSent() throws Exception {
    Path group = directory.resolve("group");
    VotedTerms terms = new VotedTerms(directory, group);
    terms.open();
    long sent = LATE;
    for (int i = 0; i < 3; i++) {
      terms.raiseTo(sent);
      writeVote(group, "");

      terms = new VotedTerms(directory, group);
      terms.open();

      assertThat(term(group)).isBetween(sent + 1, sent + 10_000);
      sent = term(group) + 1;
    }
  }

  @Test
  void treatsATruncatedVoteAsLost() throws Exception {
    Path group = directory.resolve("group");
    VotedTerms terms = new VotedTerms(directory, group);
    terms.open();
    terms.raiseTo(1_234_567);
    for (String part : List.of("#\n", "term=1234", "term=1234567\n", "votedFor=n2\nterm=12345")) {
      writeVote(group, part);

      terms.open();

      assertThat(term(group)).as(part).isGreaterThan(1_234_567);
    }
    writeVote(group, "#\n#now\nvotedFor=n2\nterm=12345678\n");
    terms.open();
    assertThat(term(group)).isEqualTo(12_345_678);
  }

  @Test
  void refusesToOpenIfTheBoundIsLostToo() throws Exception {
    Path group = directory.resolve("group");
    writeVote(group, "");

    assertThatThrownBy(() -> new VotedTerms(directory, group).open())
        .isInstanceOf(IOException.class)
        .hasMessageContaining("start the node with an empty directory");
  }

  @Test
  void failsIfTheBoundCannotBeRaised() throws Exception {
    VotedTerms terms = new VotedTerms(directory, directory.resolve("group"));
    terms.open();
    String before = Files.readString(directory.resolve(VotedTerms.FILE));
    Path inTheWay = Files.createDirectory(directory.resolve(VotedTerms.FILE + ".new"));

    assertThatThrownBy(() -> terms.raiseTo(LATE)).isInstanceOf(IOException.class);
    assertThatThrownBy(() -> terms.raiseTo(LATE)).isInstanceOf(IOException.class);
    terms.raiseTo(1);

    assertThat(Files.readString(directory.resolve(VotedTerms.FILE))).isEqualTo(before);
    Files.delete(inTheWay);
    terms.raiseTo(LATE);
  }

  private long bound() throws IOException {
    return Long.parseLong(Files.readString(directory.resolve(VotedTerms.FILE)).strip());
  }

  /** A proxy that fails all calls, and checks that the term is written before each. */
  private <T> T failing(Class<T> type, AtomicLong term) {
    return type.cast(
        Proxy.newProxyInstance(
            type.getClassLoader(),
            new Class<?>[] {type},
            (proxy, method, arguments) -> {
              assertThat(bound()).isGreaterThanOrEqualTo(term.get());
              throw new IOException("injected");
            }));
  }

  @Test
  void noMessageIsSentOrHandledBeforeItsTermIsWritten() throws Exception {
    VotedTerms terms = new VotedTerms(directory, directory.resolve("group"));
    terms.open();
    AtomicLong term = new AtomicLong(LATE);
    RaftServer server = failing(RaftServer.class, term);
    RaftServerRpc others =
        ((ServerFactory)
                new ChannelRpc.Type()
                    .newFactory(ChannelRpc.parameters(failing(RegisterChannel.class, term), terms)))
            .newRaftServerRpc(server);
    for (byte kind : List.of(ChannelRpc.VOTE, ChannelRpc.APPEND, ChannelRpc.SNAPSHOT)) {
      byte[] handled = message(kind, term.addAndGet(LATE));
      assertThatThrownBy(() -> ChannelRpc.answer(server, terms, kind, handled))
          .hasMessage("injected");
      byte[] sent = message(kind, term.addAndGet(LATE));
      assertThatThrownBy(() -> send(others, kind, sent)).hasStackTraceContaining("injected");
    }
  }

  private static byte[] message(byte kind, long term) {
    return switch (kind) {
      case ChannelRpc.VOTE ->
          RequestVoteRequestProto.newBuilder().setCandidateTerm(term).build().toByteArray();
      case ChannelRpc.APPEND ->
          AppendEntriesRequestProto.newBuilder().setLeaderTerm(term).build().toByteArray();
      default -> InstallSnapshotRequestProto.newBuilder().setLeaderTerm(term).build().toByteArray();
    };
  }

  private static void send(RaftServerRpc others, byte kind, byte[] message) throws IOException {
    switch (kind) {
      case ChannelRpc.VOTE -> others.requestVote(RequestVoteRequestProto.parseFrom(message));
      case ChannelRpc.APPEND -> others.appendEntries(AppendEntriesRequestProto.parseFrom(message));
      default -> others.installSnapshot(InstallSnapshotRequestProto.parseFrom(message));
    }
  }

  @Test
  void serversRecoverFromEmptiedVotesWithTermsAheadOfAllClocks() throws Exception {
    NODES.forEach(this::start);
    assertThat(read("n1")).isEqualTo(FIRST);
    closeAll();
    setTerms(NODES, LATE);
    NODES.forEach(this::start);
    assertThat(join(on("n1").replace(5, FIRST.ledBy("n2")))).isTrue();
    closeAll();
    for (String node : NODES) {
      assertThat(term(group(node))).isGreaterThan(LATE);
    }
    long last = term(group("n1"));
    for (String node : NODES) {
      writeVote(group(node), "");
    }

    NODES.forEach(this::start);

    assertThat(read("n3")).isEqualTo(FIRST.ledBy("n2"));
    assertThat(join(on("n1").replace(5, FIRST.ledBy("n2").ledBy("n1")))).isTrue();
    closeAll();
    for (String node : NODES) {
      assertThat(term(group(node))).isBetween(last + 1, last + 10_000);
    }
  }

  @Test
  void aSingleServerContinuesAboveTheTermsOfItsLog() throws Exception {
    List<String> alone = List.of("n1");
    start("n1", alone);
    assertThat(read("n1")).isEqualTo(FIRST);
    closeAll();
    setTerms(alone, LATE);
    start("n1", alone);
    assertThat(join(on("n1").replace(5, FIRST.ledBy("n2")))).isTrue();
    closeAll();
    long last = term(group("n1"));
    writeVote(group("n1"), "");

    start("n1", alone);

    assertThat(read("n1")).isEqualTo(FIRST.ledBy("n2"));
    assertThat(join(on("n1").replace(5, FIRST.ledBy("n2").ledBy("n1")))).isTrue();
    closeAll();
    assertThat(term(group("n1"))).isGreaterThan(last);
  }
}
