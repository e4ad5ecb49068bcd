package io.github.stablecut.cluster.internal.wire;

import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.crdt.CrdtType;
import io.github.stablecut.crdt.CrdtTypes;
import io.github.stablecut.internal.index.Version;
import io.github.stablecut.internal.materializer.FoundObject;
import io.github.stablecut.internal.recovery.PartitionImage.CopiedFile;
import io.github.stablecut.internal.watch.CommitReadRequest;
import io.github.stablecut.internal.watch.CommittedWrites;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** Encodes and decodes {@link Reply}s: a byte for the kind, then the fields in order. */
public final class ReplyCodec {
  private static final int DONE = 1;
  private static final int AT = 2;
  private static final int CHANGED = 3;
  private static final int FOUND = 4;
  private static final int LATEST = 5;
  private static final int PAGE = 6;
  private static final int FAILED = 7;
  private static final int STALE = 8;
  private static final int FILES = 9;
  private static final int FILE_PART = 10;
  private static final int GIVEN = 11;
  private static final int BEGUN = 12;
  private static final int BUSY = 13;
  private static final int ANSWER = 14;
  private static final int TRIED = 15;
  private static final int EFFECT = 16;
  private static final int COMMITS = 17;

  private ReplyCodec() {}

  public static Bytes encode(Reply reply) {
    WireOutput out = new WireOutput();
    reply.handTo(new Writer(out));
    return out.toBytes();
  }

  private record Writer(WireOutput out) implements Reply.Receiver {
    @Override
    public void done(Reply.Done reply) {
      out.kind(DONE);
    }

    @Override
    public void vector(Reply.Vector reply) {
      out.kind(AT).vector(reply.vector());
    }

    @Override
    public void preconditionFailed(Reply.PreconditionFailed reply) {
      out.kind(CHANGED);
    }

    @Override
    public void objectVersion(Reply.ObjectVersion reply) {
      VersionCodec.writeOptional(reply.version(), out.kind(FOUND).vector(reply.frontier()));
    }

    @Override
    public void answer(Reply.Answer reply) {
      out.kind(ANSWER).bytes(reply.encoded());
    }

    @Override
    public void effect(Reply.Effect reply) {
      out.kind(EFFECT).bytes(reply.effect()).size(reply.dots()).vector(reply.frontier());
    }

    @Override
    public void conditionalOutcome(Reply.ConditionalOutcome reply) {
      out.kind(TRIED).kind(reply.isWritten() ? 1 : 0).vector(reply.at()).bytes(reply.answers());
    }

    @Override
    public void latest(Reply.Latest reply) {
      out.kind(LATEST).number(reply.epoch()).vector(reply.at()).vector(reply.frontier());
      RequestCodec.writeSeen(reply.seen(), out);
      out.size(reply.versions().size());
      reply.versions().forEach((id, version) -> VersionCodec.write(version, out.bytes(id)));
    }

    @Override
    public void page(Reply.Page reply) {
      out.kind(PAGE);
      RequestCodec.writeOptional(reply.next(), out);
      out.size(reply.found().size());
      reply.found().forEach(found -> write(found, out));
    }

    @Override
    public void commits(Reply.Commits reply) {
      CommitReadRequest.Piece piece = reply.piece();
      out.kind(COMMITS).number(piece.state()).vector(piece.complete());
      out.kind(piece.atEnd() ? 1 : 0).size(piece.writes().size());
      for (CommittedWrites writes : piece.writes()) {
        out.vector(writes.at()).size(writes.objects().size());
        for (CommittedWrites.WrittenObject one : writes.objects()) {
          out.bytes(one.id()).size(one.type().typeId()).size(one.effects().size());
          one.effects().forEach(out::bytes);
        }
      }
    }

    @Override
    public void files(Reply.Files reply) {
      out.kind(FILES).number(reply.storeId()).size(reply.files().size());
      reply.files().forEach(file -> out.text(file.name()).number(file.bytes()));
    }

    @Override
    public void filePart(Reply.FilePart reply) {
      out.kind(FILE_PART).bytes(reply.bytes()).number(reply.checksum());
    }

    @Override
    public void handoffCompleted(Reply.HandoffCompleted reply) {
      out.kind(GIVEN).number(reply.epoch());
    }

    @Override
    public void moveStarted(Reply.MoveStarted reply) {
      out.kind(BEGUN).number(reply.move());
    }

    @Override
    public void failed(Reply.Failed reply) {
      FailureCodec.write(reply.failure(), out.kind(FAILED));
    }

    @Override
    public void busy(Reply.Busy reply) {
      out.kind(BUSY).text(reply.why());
    }

    @Override
    public void stale(Reply.Stale reply) {
      out.kind(STALE).number(reply.epoch());
    }
  }

  /**
   * Decodes a reply.
   *
   * @param clock the sender's clock
   * @throws BadMessageException if the bytes are malformed
   */
  public static Reply decode(Bytes bytes, long clock) {
    WireInput in = new WireInput(bytes, clock);
    int kind = in.kind();
    return in.end(
        switch (kind) {
          case DONE -> new Reply.Done();
          case AT -> new Reply.Vector(in.vector());
          case CHANGED -> new Reply.PreconditionFailed();
          case FOUND -> readFound(in);
          case ANSWER -> new Reply.Answer(in.bytes());
          case EFFECT -> new Reply.Effect(in.bytes(), in.small(), in.vector());
          case TRIED -> new Reply.ConditionalOutcome(in.kind() != 0, in.vector(), in.bytes());
          case LATEST -> readLatest(in);
          case PAGE -> readPage(in);
          case COMMITS -> readCommits(in);
          case FAILED -> new Reply.Failed(FailureCodec.read(in));
          case STALE -> new Reply.Stale(in.count());
          case BUSY -> new Reply.Busy(in.text());
          case FILES -> readFiles(in);
          case FILE_PART -> new Reply.FilePart(in.bytes(), in.count());
          case GIVEN -> new Reply.HandoffCompleted(in.count());
          case BEGUN -> new Reply.MoveStarted(in.number());
          default -> throw new BadMessageException("reply " + kind);
        });
  }

  private static Reply readFiles(WireInput in) {
    long storeId = in.number();
    List<CopiedFile> files = new ArrayList<>();
    for (int i = in.size(); i > 0; i--) {
      files.add(new CopiedFile(in.text(), in.count()));
    }
    return new Reply.Files(storeId, files);
  }

  private static Reply readFound(WireInput in) {
    VectorClock frontier = in.vector();
    return new Reply.ObjectVersion(VersionCodec.readOptional(in), frontier);
  }

  private static Reply readLatest(WireInput in) {
    long epoch = in.count();
    VectorClock at = in.vector();
    VectorClock frontier = in.vector();
    Map<Bytes, VectorClock> seen = RequestCodec.readSeen(in);
    Map<Bytes, Version> versions = new HashMap<>();
    for (int i = in.size(); i > 0; i--) {
      Bytes id = in.bytes();
      versions.put(id, VersionCodec.read(in));
    }
    return new Reply.Latest(epoch, at, frontier, versions, seen);
  }

  private static void write(FoundObject found, WireOutput out) {
    VersionCodec.writeOptional(found.version(), out.bytes(found.id()));
    if (found.version().isEmpty()) {
      out.size(found.type().typeId());
    }
  }

  private static FoundObject readFoundObject(Bytes id, WireInput in) {
    Optional<Version> version = VersionCodec.readOptional(in);
    return version.isPresent()
        ? FoundObject.of(id, version.get())
        : new FoundObject(id, readType(in), version);
  }

  private static CrdtType<?, ?, ?, ?> readType(WireInput in) {
    int typeId = in.small();
    return CrdtTypes.byId(typeId)
        .orElseThrow(() -> new BadMessageException("type number " + typeId + " is not known"));
  }

  private static Reply readCommits(WireInput in) {
    long state = in.number();
    VectorClock complete = in.vector();
    boolean atEnd = in.kind() != 0;
    List<CommittedWrites> writes = new ArrayList<>();
    for (int i = in.size(); i > 0; i--) {
      VectorClock at = in.vector();
      Set<CommittedWrites.WrittenObject> objects = new LinkedHashSet<>();
      for (int j = in.size(); j > 0; j--) {
        objects.add(
            new CommittedWrites.WrittenObject(in.bytes(), readType(in), RequestCodec.readAll(in)));
      }
      writes.add(new CommittedWrites(at, objects));
    }
    return new Reply.Commits(new CommitReadRequest.Piece(state, writes, complete, atEnd));
  }

  private static Reply readPage(WireInput in) {
    var next = RequestCodec.readOptional(in);
    List<FoundObject> found = new ArrayList<>();
    for (int i = in.size(); i > 0; i--) {
      Bytes id = in.bytes();
      found.add(readFoundObject(id, in));
    }
    return new Reply.Page(found, next);
  }
}
