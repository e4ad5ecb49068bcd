package io.github.stablecut.internal.copies;

import io.github.stablecut.journal.PendingRecord;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import org.jspecify.annotations.Nullable;

/** A node with a copy in {@link CopiesSimulation}. Confined to one thread. */
final class SimulatedNode implements CopyHost {
  private final CopiesSimulation simulation;
  private final String name;
  private final Random random;
  private final SimulatedLog log = new SimulatedLog();
  private List<String> placed;
  private Copy copy;
  private @Nullable Shipping shipping;

  /** So often it was started: what is for an earlier run does not arrive. */
  private int run;

  private boolean isDown;

  /** Where the log ended when a checkpoint was asked for; null if none was. */
  private @Nullable LogEnd fetchedFor;

  /** Until when it is on its way. */
  private long fetchingUntil;

  SimulatedNode(CopiesSimulation simulation, String name, Random random) {
    this.simulation = simulation;
    this.name = name;
    this.random = random;
    this.placed = simulation.placement();
    this.copy = newCopy();
  }

  private Copy newCopy() {
    Copy made = new Copy(name, Layout.first(simulation.first()), log, this, simulation.now());
    made.place(placed);
    return made;
  }

  /** It has heard that other nodes are to have copies. */
  void place(List<String> nodes) {
    placed = nodes;
    copy.place(nodes);
  }

  String name() {
    return name;
  }

  SimulatedLog log() {
    return log;
  }

  boolean isLeading() {
    return shipping != null;
  }

  void crash() {
    run++;
    isDown = true;
    shipping = null;
    fetchedFor = null;
    log.reopen(random);
  }

  void restart() {
    if (isDown) {
      isDown = false;
      copy = newCopy();
    }
  }

  void tick() {
    if (!isDown) {
      copy.tick(simulation.now());
      if (random.nextInt(4) == 0) {
        copy.askComplete();
      }
    }
  }

  void receive(String from, CopyMessage message) {
    if (!isDown) {
      copy.receive(from, message, simulation.now());
    }
  }

  @Override
  public void send(String to, CopyMessage message) {
    simulation.send(name, to, message);
  }

  @Override
  public void read() {
    int asking = run;
    simulation.later(
        () -> {
          Layout found = simulation.register();
          simulation.later(
              () -> {
                if (asking == run && !isDown) {
                  copy.learned(found);
                }
              });
        });
  }

  @Override
  public void replace(Layout next) {
    int asking = run;
    simulation.later(
        () -> {
          boolean hasWon = simulation.replace(next);
          simulation.later(
              () -> {
                if (asking == run && !isDown) {
                  copy.replaced(next, hasWon);
                }
              });
        });
  }

  @Override
  public long passTime() {
    return 1;
  }

  @Override
  public void complete(long time, long next) {
    // That what it says is committed is looked at when it is told.
  }

  @Override
  public void committed(long next) {
    simulation.check().committed(name, log, next);
  }

  /** Takes a while, mostly. */
  @Override
  public boolean apply(long next) {
    committed(next);
    return random.nextInt(3) == 0;
  }

  @Override
  public void lead(Layout layout, Shipping own) {
    shipping = own;
    simulation.check().leads(name, layout.epoch());
    committed(log.next());
  }

  @Override
  public void follow() {
    shipping = null;
    log.reopen(random);
  }

  /** Copies have no files here: all of a checkpoint comes with what is told of it. */
  @Override
  public void fetch(String leader, long epoch, LogEnd end) {
    if (!end.equals(fetchedFor) || simulation.now() > fetchingUntil) {
      fetchedFor = end;
      fetchingUntil = simulation.now() + 2_000_000_000L;
      send(leader, new CopyMessage.Fetch(epoch, "", 0));
    }
  }

  @Override
  public void serve(String to, CopyMessage.Fetch asked) {
    long first = log.first();
    long firstEpoch = log.epochs().at(first);
    send(to, new CopyMessage.Files(asked.epoch(), first, firstEpoch, List.of(), List.of()));
  }

  @Override
  public void fetched(String from, CopyMessage.Files files) {
    LogEnd end = fetchedFor;
    if (end != null && copy.mayReplace(end, files.first())) {
      simulation.fetched();
      run++;
      fetchedFor = null;
      log.install(files.first(), files.firstEpoch());
      copy = newCopy();
    }
  }

  @Override
  public void fetched(String from, CopyMessage.Part part) {
    throw new IllegalStateException("files have no parts here");
  }

  /** Drops what a checkpoint has: what others need too if it is not long ago, or all. */
  void truncate() {
    Shipping own = shipping;
    if (!isDown) {
      long limit = own != null && random.nextInt(3) > 0 ? own.oldestNeeded() : committed();
      log.dropBefore(Math.min(Math.min(limit, committed()), log.next()));
    }
  }

  /** A client writes, or what was written is synced or found to be on a majority. */
  void write() {
    Shipping own = shipping;
    if (own == null || isDown) {
      return;
    }
    if (!log.isWriting()) {
      List<PendingRecord> group = new ArrayList<>();
      for (int i = random.nextInt(3); i >= 0; i--) {
        byte[] body = ByteBuffer.allocate(8).putLong(simulation.nextBody()).array();
        group.add(new PendingRecord((byte) 1, body, body.length));
      }
      own.send(log.next(), group);
      log.write(group.stream().map(one -> new LogRecord((byte) 1, one.copyOfBody())).toList());
    } else if (!log.isSynced()) {
      log.sync();
    }
    finishIfHeld(own);
  }

  private void finishIfHeld(Shipping own) {
    if (log.isWriting() && log.isSynced()) {
      long next = own.groupEnd();
      if (own.isHeld(next)) {
        own.commit(next);
        log.finish();
        committed(next);
      }
    }
  }

  /** A client reads the latest state. */
  void readLatest() {
    Shipping own = shipping;
    if (own != null && !isDown) {
      long before = simulation.check().known();
      int asking = run;
      var unused =
          own.confirm()
              .thenAccept(
                  stillLeads -> {
                    if (stillLeads && asking == run && !isDown) {
                      simulation.check().latest(name, before, own.committed());
                    }
                  });
    }
  }

  @Override
  public String toString() {
    return "%s: %s in %s, promised %d, ends at %s"
        .formatted(name, copy.role(), copy.layout(), log.promised(), log.end());
  }

  /** What the copy knows to be committed. */
  long committed() {
    return copy.committed();
  }

  Optional<Long> leads() {
    return isLeading() ? Optional.of(copy.layout().epoch()) : Optional.empty();
  }
}
