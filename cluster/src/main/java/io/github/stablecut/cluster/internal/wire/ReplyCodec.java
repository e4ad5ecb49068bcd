package io.github.stablecut.cluster.internal.wire;

import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.internal.index.Version;
import io.github.stablecut.internal.materializer.ObjectScan;
import io.github.stablecut.internal.recovery.PartitionImage.CopiedFile;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The bytes of {@link Reply}s: a kind, then its parts in order. */
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

  private ReplyCodec() {}

  public static Bytes encode(Reply reply) {
    WireOutput out = new WireOutput(reply.largeBytes());
    if (reply instanceof Reply.Done) {
      out.kind(DONE);
    } else if (reply instanceof Reply.At at) {
      out.kind(AT).vector(at.vector());
    } else if (reply instanceof Reply.Changed) {
      out.kind(CHANGED);
    } else if (reply instanceof Reply.Found found) {
      VersionCodec.writeOptional(found.version(), out.kind(FOUND).vector(found.frontier()));
    } else if (reply instanceof Reply.Latest latest) {
      out.kind(LATEST).number(latest.epoch()).vector(latest.at()).vector(latest.frontier());
      RequestCodec.writeTimes(latest.seen(), out);
      out.size(latest.versions().size());
      latest.versions().forEach((id, version) -> VersionCodec.write(version, out.bytes(id)));
    } else if (reply instanceof Reply.Page page) {
      out.kind(PAGE);
      RequestCodec.writeOptional(page.next(), out);
      out.size(page.found().size());
      page.found().forEach(found -> VersionCodec.write(found.version(), out.bytes(found.id())));
    } else if (reply instanceof Reply.Failed failed) {
      FailureCodec.write(failed.failure(), out.kind(FAILED));
    } else if (reply instanceof Reply.Stale stale) {
      out.kind(STALE).number(stale.epoch());
    } else if (reply instanceof Reply.Busy busy) {
      out.kind(BUSY).text(busy.why());
    } else if (reply instanceof Reply.Files files) {
      out.kind(FILES).number(files.storeId()).size(files.files().size());
      files.files().forEach(file -> out.text(file.name()).number(file.bytes()));
    } else if (reply instanceof Reply.FilePart part) {
      out.kind(FILE_PART).bytes(part.bytes()).number(part.checksum());
    } else if (reply instanceof Reply.Given given) {
      out.kind(GIVEN).number(given.epoch());
    } else if (reply instanceof Reply.Begun begun) {
      out.kind(BEGUN).number(begun.move());
    }
    return out.toBytes();
  }

  /**
   * The reply that some bytes stand for.
   *
   * @param clock of the sender
   * @throws BadMessageException if there is none
   */
  public static Reply decode(Bytes bytes, long clock) {
    WireInput in = new WireInput(bytes, clock);
    int kind = in.kind();
    return in.end(
        switch (kind) {
          case DONE -> new Reply.Done();
          case AT -> new Reply.At(in.vector());
          case CHANGED -> new Reply.Changed();
          case FOUND -> readFound(in);
          case LATEST -> readLatest(in);
          case PAGE -> readPage(in);
          case FAILED -> new Reply.Failed(FailureCodec.read(in));
          case STALE -> new Reply.Stale(in.count());
          case BUSY -> new Reply.Busy(in.text());
          case FILES -> readFiles(in);
          case FILE_PART -> new Reply.FilePart(in.bytes(), in.count());
          case GIVEN -> new Reply.Given(in.count());
          case BEGUN -> new Reply.Begun(in.number());
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
    return new Reply.Found(VersionCodec.readOptional(in), frontier);
  }

  private static Reply readLatest(WireInput in) {
    long epoch = in.count();
    VectorClock at = in.vector();
    VectorClock frontier = in.vector();
    Map<Bytes, Long> seen = RequestCodec.readTimes(in);
    Map<Bytes, Version> versions = new HashMap<>();
    for (int i = in.size(); i > 0; i--) {
      Bytes id = in.bytes();
      versions.put(id, VersionCodec.read(in));
    }
    return new Reply.Latest(epoch, at, frontier, versions, seen);
  }

  private static Reply readPage(WireInput in) {
    var next = RequestCodec.readOptional(in);
    List<ObjectScan.Found> found = new ArrayList<>();
    for (int i = in.size(); i > 0; i--) {
      Bytes id = in.bytes();
      found.add(new ObjectScan.Found(id, VersionCodec.read(in)));
    }
    return new Reply.Page(found, next);
  }
}
