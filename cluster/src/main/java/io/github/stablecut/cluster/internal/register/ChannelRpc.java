package io.github.stablecut.cluster.internal.register;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.Collection;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.ratis.conf.Parameters;
import org.apache.ratis.proto.RaftProtos.AppendEntriesReplyProto;
import org.apache.ratis.proto.RaftProtos.AppendEntriesRequestProto;
import org.apache.ratis.proto.RaftProtos.InstallSnapshotReplyProto;
import org.apache.ratis.proto.RaftProtos.InstallSnapshotRequestProto;
import org.apache.ratis.proto.RaftProtos.RaftRpcRequestProto;
import org.apache.ratis.proto.RaftProtos.RequestVoteReplyProto;
import org.apache.ratis.proto.RaftProtos.RequestVoteRequestProto;
import org.apache.ratis.proto.RaftProtos.StartLeaderElectionReplyProto;
import org.apache.ratis.proto.RaftProtos.StartLeaderElectionRequestProto;
import org.apache.ratis.protocol.RaftPeer;
import org.apache.ratis.protocol.RaftPeerId;
import org.apache.ratis.rpc.RpcFactory;
import org.apache.ratis.rpc.RpcType;
import org.apache.ratis.server.RaftServer;
import org.apache.ratis.server.RaftServerRpc;
import org.apache.ratis.server.ServerFactory;

/**
 * Carries the messages of Ratis through a {@link RegisterChannel}: no port, no client of its own. A
 * call is a byte that says what it is, and the message of Ratis. Thread-safe.
 */
final class ChannelRpc implements RaftServerRpc {
  static final byte VOTE = 1;
  static final byte APPEND = 2;
  static final byte SNAPSHOT = 3;
  static final byte ELECTION = 4;

  private static final String CHANNEL = "stablecut.register.channel";
  private static final String TERMS = "stablecut.register.terms";

  /** A call that takes longer is given up; Ratis repeats it. */
  private static final long PATIENCE_MILLIS = 3_000;

  /** Made by Ratis, which knows it by its class. */
  public static final class Type implements RpcType {
    /** For Ratis. */
    public Type() {}

    @Override
    public String name() {
      return Type.class.getName();
    }

    @Override
    public RpcFactory newFactory(Parameters parameters) {
      return new Factory(
          parameters.getNonNull(CHANNEL, RegisterChannel.class),
          parameters.getNonNull(TERMS, VotedTerms.class));
    }
  }

  private record Factory(RegisterChannel channel, VotedTerms terms) implements ServerFactory {
    @Override
    public RaftServerRpc newRaftServerRpc(RaftServer server) {
      return new ChannelRpc(channel, terms);
    }

    @Override
    public RpcType getRpcType() {
      return new Type();
    }
  }

  private final RegisterChannel channel;
  private final VotedTerms terms;

  private ChannelRpc(RegisterChannel channel, VotedTerms terms) {
    this.channel = channel;
    this.terms = terms;
  }

  /** What tells Ratis the channel. */
  static Parameters parameters(RegisterChannel channel, VotedTerms terms) {
    Parameters parameters = new Parameters();
    var unused = parameters.put(CHANNEL, channel, RegisterChannel.class);
    var unusedTerms = parameters.put(TERMS, terms, VotedTerms.class);
    return parameters;
  }

  private byte[] call(RaftRpcRequestProto head, byte kind, byte[] message) throws IOException {
    byte[] request = new byte[message.length + 1];
    request[0] = kind;
    System.arraycopy(message, 0, request, 1, message.length);
    String to = head.getReplyId().toStringUtf8();
    try {
      return channel
          .call(to, request)
          .toCompletableFuture()
          .get(PATIENCE_MILLIS, TimeUnit.MILLISECONDS);
    } catch (ExecutionException | TimeoutException e) {
      throw new IOException("node %s does not answer: %s".formatted(to, e), e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted", e);
    }
  }

  @Override
  public RequestVoteReplyProto requestVote(RequestVoteRequestProto request) throws IOException {
    terms.reach(request.getCandidateTerm());
    return RequestVoteReplyProto.parseFrom(
        call(request.getServerRequest(), VOTE, request.toByteArray()));
  }

  @Override
  public AppendEntriesReplyProto appendEntries(AppendEntriesRequestProto request)
      throws IOException {
    terms.reach(request.getLeaderTerm());
    return AppendEntriesReplyProto.parseFrom(
        call(request.getServerRequest(), APPEND, request.toByteArray()));
  }

  @Override
  public InstallSnapshotReplyProto installSnapshot(InstallSnapshotRequestProto request)
      throws IOException {
    terms.reach(request.getLeaderTerm());
    return InstallSnapshotReplyProto.parseFrom(
        call(request.getServerRequest(), SNAPSHOT, request.toByteArray()));
  }

  @Override
  public StartLeaderElectionReplyProto startLeaderElection(StartLeaderElectionRequestProto request)
      throws IOException {
    return StartLeaderElectionReplyProto.parseFrom(
        call(request.getServerRequest(), ELECTION, request.toByteArray()));
  }

  /**
   * Has a server answer what a {@link ChannelRpc} of another one has called.
   *
   * @param terms the server's
   */
  static byte[] answer(RaftServer server, VotedTerms terms, byte kind, byte[] message)
      throws IOException {
    switch (kind) {
      case VOTE -> {
        RequestVoteRequestProto request = RequestVoteRequestProto.parseFrom(message);
        terms.reach(request.getCandidateTerm());
        return server.requestVote(request).toByteArray();
      }
      case APPEND -> {
        AppendEntriesRequestProto request = AppendEntriesRequestProto.parseFrom(message);
        terms.reach(request.getLeaderTerm());
        return server.appendEntries(request).toByteArray();
      }
      case SNAPSHOT -> {
        InstallSnapshotRequestProto request = InstallSnapshotRequestProto.parseFrom(message);
        terms.reach(request.getLeaderTerm());
        return server.installSnapshot(request).toByteArray();
      }
      case ELECTION -> {
        return server
            .startLeaderElection(StartLeaderElectionRequestProto.parseFrom(message))
            .toByteArray();
      }
      default -> throw new IOException("a call of the register is of unknown kind " + kind);
    }
  }

  @Override
  public void start() {}

  /** There is no socket. */
  @Override
  public InetSocketAddress getInetSocketAddress() {
    return InetSocketAddress.createUnresolved("none", 0);
  }

  @Override
  public void handleException(RaftPeerId id, Exception e, boolean reconnects) {}

  @Override
  public void addRaftPeers(Collection<RaftPeer> peers) {}

  @Override
  public RpcType getRpcType() {
    return new Type();
  }

  @Override
  public void close() {}
}
