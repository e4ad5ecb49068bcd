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
  private Copy copy;
  private @Nullable Shipping shipping;

  /** So often it was started: what is for an earlier run does not arrive. */
  private int run;

  private boolean isDown;

  SimulatedNode(CopiesSimulation simulation, String name, Random random) {
    this.simulation = simulation;
    this.name = name;
    this.random = random;
    this.copy = newCopy();
  }

  private Copy newCopy() {
    return new Copy(name, Layout.first(simulation.first()), log, this, simulation.now());
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
