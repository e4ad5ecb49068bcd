package io.github.stablecut.internal.transaction;

import io.github.stablecut.internal.clock.HybridClock;
import io.github.stablecut.internal.partition.commit.Message;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/**
 * The network of a {@link Simulation}: messages are lost, repeated and reordered. Each carries the
 * clock of its sender, as between the nodes of a cluster. Confined to one thread.
 */
final class SimulatedNetwork {
  private record Envelope(int process, long clock, int partition, Message.ToPartition message) {}

  private record Answer(
      long clock, int from, int process, Message.Driver driver, Message.ToDriver message) {}

  private final Random random;

  /** One of that many messages is lost. */
  private final int oneLostOf;

  private final List<Envelope> letters = new ArrayList<>();
  private final List<Answer> answers = new ArrayList<>();
  private boolean isReliable;

  SimulatedNetwork(Random random) {
    this.random = random;
    this.oneLostOf = 3 + random.nextInt(15);
  }

  /** Stops losing and repeating messages. */
  void makeReliable() {
    isReliable = true;
  }

  boolean isEmpty() {
    return letters.isEmpty() && answers.isEmpty();
  }

  /**
   * Sends a message.
   *
   * @param process the sender
   * @param clock of the sender
   */
  void send(int process, long clock, int partition, Message.ToPartition message) {
    letters.add(new Envelope(process, clock, partition, message));
  }

  /** Delivers any message, if there is one. */
  void deliver(SimulatedProcesses processes) {
    if (!answers.isEmpty() && random.nextBoolean()) {
      deliverAnswer(processes);
    } else if (!letters.isEmpty()) {
      deliverLetter(processes);
    }
  }

  private void deliverAnswer(SimulatedProcesses processes) {
    Answer answer = take(answers);
    if (!isLost() && processes.isConnected(answer.from, answer.process)) {
      processes.clock(answer.process).ifPresent(clock -> clock.observe(answer.clock));
      answer.driver.tell(answer.message);
    }
  }

  private void deliverLetter(SimulatedProcesses processes) {
    Envelope letter = take(letters);
    processes.turnOfMessage();
    int to = processes.processOf(letter.partition);
    if (!isLost() && processes.isConnected(letter.process, to)) {
      processes
          .get(letter.partition)
          .ifPresent(
              partition -> {
                HybridClock clock = processes.clock(to).orElseThrow();
                clock.observe(letter.clock);
                partition.receive(overTheWire(letter, to, clock));
              });
    }
  }

  private <T> T take(List<T> from) {
    int place = random.nextInt(from.size());
    boolean isRepeated = !isReliable && random.nextInt(8) == 0;
    return isRepeated ? from.get(place) : from.remove(place);
  }

  private boolean isLost() {
    return !isReliable && random.nextInt(oneLostOf) == 0;
  }

  /**
   * A message as it arrives: it shares nothing with the sender, and answers travel back.
   *
   * @param to the receiver
   * @param clock of the receiver
   */
  private Message.ToPartition overTheWire(Envelope letter, int to, HybridClock clock) {
    if (letter.message instanceof Message.Open open) {
      Message.Driver driver = answering(letter, to, open.driver(), clock);
      return new Message.Open(driver, open.attempt(), open.request());
    }
    if (letter.message instanceof Message.Prepare prepare) {
      Message.Driver driver = answering(letter, to, prepare.driver(), clock);
      return new Message.Prepare(driver, prepare.part());
    }
    if (letter.message instanceof Message.Decide decide) {
      Message.Driver driver = answering(letter, to, decide.driver(), clock);
      return new Message.Decide(driver, decide.prepared(), decide.part());
    }
    if (letter.message instanceof Message.KeepAlive keep) {
      return new Message.KeepAlive(answering(letter, to, keep.driver(), clock), keep.id());
    }
    return letter.message;
  }

  private Message.Driver answering(
      Envelope letter, int to, Message.Driver driver, HybridClock clock) {
    return new Message.Driver() {
      @Override
      public long number() {
        return driver.number();
      }

      @Override
      public void tell(Message.ToDriver answer) {
        answers.add(new Answer(clock.issued(), to, letter.process, driver, answer));
      }
    };
  }
}
