package io.github.stablecut.internal.transaction;

import static java.util.stream.Collectors.toUnmodifiableSet;

import io.github.stablecut.CacheOptions;
import io.github.stablecut.Certification;
import io.github.stablecut.CheckpointPolicy;
import io.github.stablecut.CounterKey;
import io.github.stablecut.IndexOptions;
import io.github.stablecut.Key;
import io.github.stablecut.SetKey;
import io.github.stablecut.StoreOptions;
import io.github.stablecut.Update;
import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.crdt.OperationContext;
import io.github.stablecut.crdt.SelfDots;
import io.github.stablecut.crdt.codec.Codec;
import io.github.stablecut.error.OutcomeUnknownException;
import io.github.stablecut.error.ReopenException;
import io.github.stablecut.error.StablecutException;
import io.github.stablecut.internal.index.Version;
import io.github.stablecut.internal.materializer.Folding;
import io.github.stablecut.internal.partition.CommitRequest;
import io.github.stablecut.internal.partition.CommitRequest.ObjectWrite;
import io.github.stablecut.internal.partition.Message;
import io.github.stablecut.internal.partition.Partition;
import io.github.stablecut.internal.partition.Surroundings;
import io.github.stablecut.internal.record.RequestId;
import io.github.stablecut.internal.record.TransactionFacts;
import io.github.stablecut.internal.transaction.SimulatedTransaction.Outcome;
import io.github.stablecut.internal.transaction.SimulatedTransaction.Read;
import io.github.stablecut.internal.truncation.ActiveSnapshots;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.UUID;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Partitions, their disks, their clocks and the network between them on one thread, in an order
 * that one number decides: messages are lost, repeated and overtake each other, partitions crash
 * and lose what was not synced, also in the middle of a group, clocks differ and step, checkpoints
 * and truncation happen. Confined to one thread.
 */
final class Simulation {
  private static final int PARTITIONS = 3;
  private static final int MAX_OBJECTS = 6;
  private static final int MAX_CLIENTS = 6;
  private static final int MAX_WRITES = 3;
  private static final int SETTLING_STEPS = 20_000;

  /** Of the kinds of steps, what happens in storms begins here. */
  private static final int STORM = 86;

  private static final List<Certification> CERTIFICATIONS = List.of(Certification.values());

  /** While the only thread waits for what others do, nobody does it. */
  private static final Duration USELESS_WAIT = Duration.ofMillis(1);

  private static final Duration TIMEOUT = Duration.ofSeconds(3);

  /** One client's line of work. */
  private static final class Client {
    private final int number;
    private final UUID session;
    private VectorClock token = VectorClock.ZERO;
    private Optional<Running> running = Optional.empty();
    private long requests;

    Client(int number, UUID session) {
      this.number = number;
      this.session = session;
    }
  }

  /** A transaction that has not ended. */
  private static final class Running {
    private final SimulatedTransaction seen;
    private final ActiveSnapshots.Registration claim;
    private Optional<RequestId> request = Optional.empty();
    private boolean isCommitting;

    Running(SimulatedTransaction seen, ActiveSnapshots.Registration claim) {
      this.seen = seen;
      this.claim = claim;
    }
  }

  private record Letter(int partition, Message.ToPartition message) {}

  private record Answer(Message.Driver driver, Message.ToDriver message) {}

  private final Random random;
  private final List<LossyDisk> disks = new ArrayList<>();
  private final List<Optional<Partition>> partitions = new ArrayList<>();
  private final long[] skewMillis = new long[PARTITIONS];
  private final List<Client> clients = new ArrayList<>();
  private final List<Letter> letters = new ArrayList<>();
  private final List<Answer> answers = new ArrayList<>();
  private final Set<CommitDriver> drivers = new HashSet<>();
  private final Map<Integer, SimulatedTransaction> history = new TreeMap<>();
  private final ActiveSnapshots active;
  private final boolean hasCertification;

  /** With small steps and differences the partitions' times meet more often. */
  private final int maxStepNanos;

  private final int maxSkewMillis;

  /** With few clients the past is forgotten soon; on few objects they meet. */
  private final int objects;

  /** One of so many messages is lost. */
  private final int oneLostOf;

  /** In a storm partitions crash, and forget, far more often than they work. */
  private final boolean isStorm;

  /** How many of four snapshots are at the very present of a partition. */
  private final int freshness;

  private final StoreOptions options;
  private long nanos = 1;
  private long epoch;
  private long attempts;
  private boolean isSettling;

  Simulation(long seed) {
    this.random = new Random(seed);
    this.active = new ActiveSnapshots(() -> nanos, Long.MAX_VALUE);
    this.hasCertification = random.nextInt(3) == 0;
    this.maxStepNanos = 100_000 << random.nextInt(10);
    this.maxSkewMillis = 1 + random.nextInt(1 << random.nextInt(12));
    this.freshness = random.nextInt(4);
    this.objects = 2 + random.nextInt(MAX_OBJECTS - 1);
    this.oneLostOf = 3 + random.nextInt(15);
    this.isStorm = random.nextInt(3) == 0;
    this.options =
        StoreOptions.defaults()
            .withExecutor(Runnable::run)
            .withLimits(LossyDisk.LIMITS.withSegmentBytes(1 << 20))
            .withIndex(random.nextInt(4) == 0 ? IndexOptions.off() : IndexOptions.defaults())
            .withCache(random.nextBoolean() ? CacheOptions.off() : CacheOptions.objects(3))
            .withTimeouts(
                StoreOptions.defaults().timeouts().withCommit(TIMEOUT).withRead(USELESS_WAIT))
            .withCheckpoints(CheckpointPolicy.byCall().withRetention(Duration.ZERO));
    for (int number = 0; number < PARTITIONS; number++) {
      skewMillis[number] = random.nextInt(maxSkewMillis);
      disks.add(LossyDisk.empty());
      partitions.add(Optional.empty());
      open(number);
    }
    for (int number = 1 + random.nextInt(MAX_CLIENTS); number > 0; number--) {
      clients.add(new Client(number, new UUID(nowMillis(), number)));
    }
  }

  private long nowMillis() {
    return 1_800_000_000_000L + nanos / 1_000_000;
  }

  /** Runs some steps, lets everything settle, and says what was wrong; empty if nothing was. */
  Optional<String> run(int steps) {
    for (int step = 0; step < steps; step++) {
      nanos += random.nextInt(maxStepNanos);
      step(random.nextInt(isStorm && random.nextInt(4) == 0 ? STORM : 0, 100));
      noticeLost();
      if (random.nextInt(10) == 0) {
        retry();
      }
    }
    settle();
    return HistoryCheck.violation(history.values(), readAll());
  }

  private void step(int kind) {
    if (kind < 14) {
      begin(anyClient());
    } else if (kind < 46) {
      continueTransaction(anyClient());
    } else if (kind < 74) {
      deliver();
    } else if (kind < 86) {
      anyPartition().ifPresent(Partition::commitGroup);
    } else if (kind < 92) {
      tick();
    } else if (kind < 95) {
      anyPartition().ifPresent(Simulation::maintain);
    } else if (kind < 97) {
      crash(random.nextInt(PARTITIONS));
    } else if (kind < 98) {
      failInTheMiddle(random.nextInt(PARTITIONS));
    } else {
      reopen(random.nextInt(PARTITIONS));
    }
  }

  private Client anyClient() {
    return clients.get(random.nextInt(clients.size()));
  }

  private Optional<Partition> anyPartition() {
    return partitions.get(random.nextInt(PARTITIONS));
  }

  private static void maintain(Partition partition) {
    var unused = partition.maintain();
  }

  // Partitions.

  private void open(int number) {
    StoreOptions own =
        options.withClock(() -> Instant.ofEpochMilli(nowMillis() + skewMillis[number]));
    LossyDisk disk = disks.get(number);
    Partition opened =
        Partition.open(
            Settings.of(own, number),
            new Surroundings(
                ++epoch,
                Settings.clock(own),
                active,
                UnaryOperator.identity(),
                this::send,
                () -> nanos),
            disk.journal(),
            disk.checkpoints());
    partitions.set(number, Optional.of(opened));
  }

  /** Opens a partition again, and each higher one, unless it is open. */
  private void reopen(int first) {
    for (int number = first; number < PARTITIONS; number++) {
      if (partitions.get(number).isEmpty()) {
        open(number);
      }
    }
  }

  private void crash(int number) {
    if (partitions.get(number).isPresent()) {
      partitions.set(number, Optional.empty());
      LossyDisk disk = disks.get(number);
      disks.set(
          number,
          random.nextBoolean()
              ? disk.afterKill()
              : disk.afterPowerCut(random, random.nextDouble()));
      skewMillis[number] += random.nextInt(2 * maxSkewMillis) - 3L * maxSkewMillis / 2;
    }
  }

  /** The journal's disk fails once while a group is written, and the partition crashes. */
  private void failInTheMiddle(int number) {
    partitions
        .get(number)
        .ifPresent(
            partition -> {
              disks.get(number).journal().failOnce(1 + random.nextInt(3));
              partition.commitGroup();
              crash(number);
            });
  }

  // The network.

  private void send(int partition, Message.ToPartition message) {
    letters.add(new Letter(partition, message));
  }

  private void deliver() {
    if (!answers.isEmpty() && random.nextBoolean()) {
      deliverAnswer();
    } else if (!letters.isEmpty()) {
      deliverLetter();
    }
  }

  private void deliverAnswer() {
    int place = random.nextInt(answers.size());
    Answer answer = answers.get(place);
    if (!isRepeated()) {
      answers.remove(place);
    }
    if (!isLost()) {
      answer.driver.tell(answer.message);
    }
  }

  private void deliverLetter() {
    int place = random.nextInt(letters.size());
    Letter letter = letters.get(place);
    if (!isRepeated()) {
      letters.remove(place);
    }
    if (!isLost()) {
      partitions
          .get(letter.partition)
          .ifPresent(partition -> partition.receive(overTheWire(letter.message)));
    }
  }

  private boolean isRepeated() {
    return !isSettling && random.nextInt(8) == 0;
  }

  private boolean isLost() {
    return !isSettling && random.nextInt(oneLostOf) == 0;
  }

  /** As it would arrive: nothing is shared with the sender, and answers take their way back. */
  private Message.ToPartition overTheWire(Message.ToPartition message) {
    if (message instanceof Message.Open open) {
      return new Message.Open(answering(open.driver()), open.attempt(), open.request());
    }
    if (message instanceof Message.Prepare prepare) {
      return new Message.Prepare(answering(prepare.driver()), prepare.part().copy());
    }
    if (message instanceof Message.Decide decide) {
      return new Message.Decide(
          answering(decide.driver()), decide.prepared(), decide.part().copy());
    }
    return message;
  }

  private Message.Driver answering(Message.Driver driver) {
    return new Message.Driver() {
      @Override
      public long number() {
        return driver.number();
      }

      @Override
      public void tell(Message.ToDriver answer) {
        answers.add(new Answer(driver, answer));
      }
    };
  }

  private void tick() {
    partitions.forEach(partition -> partition.ifPresent(Partition::tick));
    List.copyOf(drivers).forEach(driver -> driver.tick(nanos));
  }

  // Clients.

  private void begin(Client client) {
    if (client.running.isPresent()) {
      return;
    }
    VectorClock snapshot = client.token;
    for (Optional<Partition> partition : partitions) {
      if (partition.isPresent() && random.nextInt(4) > 0) {
        snapshot =
            snapshot.join(
                random.nextInt(4) < freshness ? partition.get().now() : partition.get().newest());
      }
    }
    ActiveSnapshots.Registration claim = active.register(snapshot);
    for (Optional<Partition> partition : partitions) {
      if (partition.isEmpty() || !partition.get().admits(snapshot)) {
        claim.end();
        return;
      }
    }
    SimulatedTransaction transaction =
        new SimulatedTransaction(history.size(), client.number, snapshot, anyCertification());
    history.put(transaction.number, transaction);
    client.running = Optional.of(new Running(transaction, claim));
  }

  private Certification anyCertification() {
    return hasCertification
        ? CERTIFICATIONS.get(random.nextInt(CERTIFICATIONS.size()))
        : Certification.NONE;
  }

  private void continueTransaction(Client client) {
    if (client.running.isEmpty() || client.running.get().isCommitting) {
      return;
    }
    Running running = client.running.get();
    if (running.seen.reads.size() < 6 && random.nextInt(3) > 0) {
      read(random.nextInt(objects), running.seen.snapshot).ifPresent(running.seen.reads::add);
    } else {
      commit(client, running);
    }
  }

  static int partitionOf(int object) {
    return object % PARTITIONS;
  }

  private static SetKey<Long> set(int object) {
    return Key.growOnlySet("set", "" + object, Codec.int64());
  }

  private static CounterKey counter(int object) {
    return Key.counter("counter", "" + object);
  }

  private Optional<Read> read(int object, VectorClock snapshot) {
    Optional<Partition> partition = partitions.get(partitionOf(object));
    if (partition.isEmpty()) {
      return Optional.empty();
    }
    SetKey<Long> set = set(object);
    CounterKey counter = counter(object);
    try {
      if (!partition.get().isSettled(set.id(), snapshot)
          || !partition.get().isSettled(counter.id(), snapshot)) {
        return Optional.empty();
      }
      return Optional.of(
          new Read(
              object,
              numbers(value(partition.get(), set, snapshot)),
              value(partition.get(), counter, snapshot)));
    } catch (ReopenException e) {
      crash(partitionOf(object));
      return Optional.empty();
    }
  }

  private static Set<Integer> numbers(Set<Long> elements) {
    return elements.stream().map(Long::intValue).collect(toUnmodifiableSet());
  }

  private static <V> V value(Partition partition, Key<V> key, VectorClock snapshot) {
    Object state =
        partition.versionAt(key.id(), snapshot).map(Version::state).orElseGet(key.type()::initial);
    return key.view(state, snapshot);
  }

  private void commit(Client client, Running running) {
    SimulatedTransaction transaction = running.seen;
    if (random.nextInt(4) == 0) {
      transaction.outcome = Outcome.FAILED;
      end(client, running);
      return;
    }
    for (int i = 1 + random.nextInt(random.nextBoolean() ? 1 : MAX_WRITES); i > 0; i--) {
      boolean unused = transaction.writes.add(random.nextInt(objects));
    }
    if (random.nextBoolean()) {
      running.request = Optional.of(new RequestId(client.session, ++client.requests));
    }
    running.isCommitting = true;
    send(client, running, transaction.snapshot);
  }

  /** Sends a commit, for the first time or again. */
  private void send(Client client, Running running, VectorClock snapshot) {
    Map<Integer, CommitRequest.Part> parts = parts(running.seen, snapshot);
    if (parts.keySet().stream().anyMatch(number -> partitions.get(number).isEmpty())) {
      // Without its prune frontier no part can be made; the client knows that nothing was sent.
      ended(client, running, null, new ConflictNotSent());
      return;
    }
    if (parts.size() == 1) {
      commitOnOne(client, running, parts.entrySet().iterator().next());
      return;
    }
    CommitDriver[] driver = new CommitDriver[1];
    driver[0] =
        new CommitDriver(
            this::send, parts, ++attempts, running.request, () -> nanos, TIMEOUT.toNanos());
    boolean unused = drivers.add(driver[0]);
    var unusedToo =
        driver[0]
            .start()
            .whenComplete(
                (time, failure) -> {
                  boolean unusedThree = drivers.remove(driver[0]);
                  ended(client, running, time, failure);
                });
  }

  /** That nothing was sent. */
  private static final class ConflictNotSent extends RuntimeException {
    private static final long serialVersionUID = 1L;
  }

  private void commitOnOne(
      Client client, Running running, Map.Entry<Integer, CommitRequest.Part> part) {
    Partition partition = partitions.get(part.getKey()).orElseThrow();
    try {
      CompletionStage<VectorClock> stage =
          partition.commitAsync(
              CommitRequest.of(part.getValue(), TransactionFacts.of(running.request)),
              Runnable::run);
      lost.add(new Pending(part.getKey(), partition, client, running));
      var unused =
          stage.whenComplete(
              (vector, failure) ->
                  ended(client, running, vector == null ? null : vector.max(), failure));
    } catch (StablecutException e) {
      ended(client, running, null, e);
    }
  }

  /** A commit on one partition whose answer is lost with the partition. */
  private record Pending(int number, Partition partition, Client client, Running running) {}

  private final List<Pending> lost = new ArrayList<>();

  /** Clients of partitions that are gone hear nothing more. */
  private void noticeLost() {
    for (Pending pending : List.copyOf(lost)) {
      if (pending.running.seen.outcome != Outcome.OPEN) {
        lost.remove(pending);
      } else if (!partitions.get(pending.number).equals(Optional.of(pending.partition))) {
        lost.remove(pending);
        ended(
            pending.client,
            pending.running,
            null,
            new OutcomeUnknownException("the answer is lost"));
      }
    }
  }

  private void ended(
      Client client, Running running, @Nullable Long time, @Nullable Throwable failure) {
    SimulatedTransaction transaction = running.seen;
    if (transaction.outcome != Outcome.OPEN) {
      return;
    }
    Throwable cause = failure instanceof CompletionException ? failure.getCause() : failure;
    boolean isUnknown =
        cause instanceof OutcomeUnknownException || cause instanceof ReopenException;
    boolean wasUnknown = running.isCommitting && unknownBefore.contains(transaction.number);
    if (time != null) {
      transaction.outcome = Outcome.ACKNOWLEDGED;
      transaction.time = time;
      client.token = client.token.join(VectorClock.of(time));
    } else if (isUnknown && running.request.isPresent() && !isSettling) {
      // Sent again, at a newer snapshot, until somebody knows.
      boolean unused = unknownBefore.add(transaction.number);
      retries.add(new Retry(client, running));
      return;
    } else {
      transaction.outcome = isUnknown || wasUnknown ? Outcome.UNKNOWN : Outcome.FAILED;
    }
    end(client, running);
  }

  private record Retry(Client client, Running running) {}

  private final List<Retry> retries = new ArrayList<>();
  private final Set<Integer> unknownBefore = new HashSet<>();

  private void retry() {
    List<Retry> due = List.copyOf(retries);
    retries.clear();
    for (Retry retry : due) {
      send(retry.client, retry.running, retry.running.seen.snapshot);
    }
  }

  private static void end(Client client, Running running) {
    running.claim.end();
    client.running = Optional.empty();
  }

  private Map<Integer, CommitRequest.Part> parts(
      SimulatedTransaction transaction, VectorClock snapshot) {
    SelfDots dots = new SelfDots();
    OperationContext context = new OperationContext(Settings.DATA_CENTRE, snapshot, dots);
    Map<Integer, CommitRequest.Part> parts = new TreeMap<>();
    Set<Integer> certified = transaction.certified();
    Set<Integer> objects = new TreeSet<>(transaction.writes);
    objects.addAll(certified);
    for (int object : objects) {
      int number = partitionOf(object);
      VectorClock frontier =
          partitions
              .get(number)
              .map(partition -> partition.pruneFrontier(snapshot))
              .orElse(VectorClock.ZERO);
      CommitRequest.Part part =
          parts.computeIfAbsent(
              number,
              key ->
                  new CommitRequest.Part(
                      Settings.DATA_CENTRE,
                      snapshot,
                      frontier,
                      new ArrayList<>(),
                      new HashSet<>()));
      if (transaction.writes.contains(object)) {
        part.writes().add(write(set(object).add((long) transaction.number), context));
        part.writes().add(write(counter(object).increment(), context));
      }
      if (certified.contains(object)) {
        boolean unused = part.certified().add(set(object).id());
        boolean unusedToo = part.certified().add(counter(object).id());
      }
    }
    return parts;
  }

  private static ObjectWrite write(Update update, OperationContext context) {
    Key<?> key = update.key();
    Bytes id = key.id();
    Object effect =
        Folding.downstream(key.type(), update.operation(), key.type().initial(), context);
    return new ObjectWrite(
        id, key.type(), List.of(effect), List.of(Folding.encodeEffect(key.type(), effect)));
  }

  // The end.

  private void settle() {
    isSettling = true;
    for (int step = 0; step < SETTLING_STEPS && !isSettled(); step++) {
      nanos += 50_000_000;
      reopen(0);
      noticeLost();
      retry();
      deliver();
      partitions.forEach(partition -> partition.ifPresent(Partition::commitGroup));
      tick();
    }
    if (!isSettled()) {
      throw new AssertionError("does not settle: " + history.values());
    }
    partitions.forEach(partition -> partition.ifPresent(Partition::commitGroup));
    for (Client client : clients) {
      client.running.ifPresent(
          running -> {
            running.seen.outcome = Outcome.FAILED;
            end(client, running);
          });
    }
  }

  private boolean isSettled() {
    return letters.isEmpty()
        && answers.isEmpty()
        && drivers.isEmpty()
        && retries.isEmpty()
        && clients.stream()
            .noneMatch(client -> client.running.map(running -> running.isCommitting).orElse(false))
        && partitions.stream().allMatch(p -> p.isPresent() && p.get().inDoubt().isEmpty());
  }

  private List<Read> readAll() {
    VectorClock now = VectorClock.ZERO;
    for (Optional<Partition> partition : partitions) {
      now = now.join(partition.orElseThrow().now());
    }
    List<Read> reads = new ArrayList<>();
    for (int object = 0; object < objects; object++) {
      reads.add(read(object, now).orElseThrow());
    }
    return reads;
  }
}
