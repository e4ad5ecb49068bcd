package io.github.stablecut.cluster.internal.wire;

import io.github.stablecut.internal.partition.BackupReadRequest;
import io.github.stablecut.internal.watch.CommitReadRequest;

/**
 * Writes requests in the format of {@link RequestCodec}. Confined to one thread.
 *
 * @param out the encoded request
 */
record RequestWriter(WireOutput out)
    implements Request.Receiver,
        Request.PartitionReceiver,
        Request.NodeReceiver,
        Request.MoveReceiver<WireOutput, RuntimeException> {
  @Override
  public void present(Request.Present request) {
    out.kind(RequestCodec.PRESENT);
  }

  @Override
  public void toPartition(Request.ToPartition request) {
    request.handTo((Request.PartitionReceiver) this);
  }

  @Override
  public void toNode(Request.ToNode request) {
    request.handTo((Request.NodeReceiver) this);
  }

  @Override
  public void read(Request.Read request) {
    out.kind(RequestCodec.READ).bytes(request.id()).bytes(request.part()).vector(request.at());
  }

  @Override
  public void downstream(Request.Downstream request) {
    out.kind(RequestCodec.DOWNSTREAM).bytes(request.id()).size(request.type().typeId());
    out.bytes(request.operation()).vector(request.at()).size(request.dots());
  }

  @Override
  public void query(Request.Query request) {
    out.kind(RequestCodec.ASK).bytes(request.id()).size(request.type().typeId());
    out.bytes(request.question()).vector(request.at());
  }

  @Override
  public void presentOf(Request.PresentOf request) {
    out.kind(RequestCodec.PRESENT_OF).bytes(request.id());
  }

  @Override
  public void check(Request.Check request) {
    out.kind(RequestCodec.CHECK).vector(request.at());
  }

  @Override
  public void holdLease(Request.HoldLease request) {
    out.kind(RequestCodec.HOLD).number(request.lease()).vector(request.at());
  }

  @Override
  public void releaseLease(Request.ReleaseLease request) {
    out.kind(RequestCodec.RELEASE).number(request.lease());
  }

  @Override
  public void commit(Request.Commit request) {
    out.kind(RequestCodec.COMMIT).bytes(request.request().toWire());
  }

  @Override
  public void latest(Request.Latest request) {
    out.kind(RequestCodec.LATEST).vector(request.claimed()).size(request.ids().size());
    request.ids().forEach(out::bytes);
  }

  @Override
  public void commitIf(Request.CommitIf request) {
    out.kind(RequestCodec.COMMIT_IF).bytes(request.request().toWire());
    RequestCodec.writeSeen(request.seen(), out);
  }

  @Override
  public void execute(Request.Execute request) {
    out.kind(RequestCodec.EXECUTE).vector(request.claimed()).bytes(request.batch());
  }

  @Override
  public void awaitDurable(Request.AwaitDurable request) {
    out.kind(RequestCodec.AWAIT_DURABLE).number(request.epoch()).vector(request.seen());
  }

  @Override
  public void scan(Request.Scan request) {
    out.kind(RequestCodec.SCAN).vector(request.at()).bytes(request.from());
    RequestCodec.writeOptional(request.until(), out);
    out.kind(request.isDescending() ? 1 : 0).kind(request.isKeysOnly() ? 1 : 0);
    out.size(request.maxObjects());
  }

  @Override
  public void commits(Request.Commits request) {
    CommitReadRequest reading = request.reading();
    out.kind(RequestCodec.COMMITS).number(reading.reader()).number(reading.state());
    out.vector(reading.after()).bytes(reading.filter().range().from());
    RequestCodec.writeOptional(reading.filter().range().until(), out);
    out.kind(reading.filter().withEffects() ? 1 : 0);
    out.vector(reading.moveOn()).size(reading.most());
  }

  @Override
  public void backup(Request.Backup request) {
    BackupReadRequest reading = request.reading();
    out.kind(RequestCodec.BACKUP).number(reading.reader()).vector(reading.at());
    out.text(reading.file()).number(reading.from());
  }

  @Override
  public void checkpoint(Request.Checkpoint request) {
    out.kind(RequestCodec.CHECKPOINT);
  }

  @Override
  public void deliver(Request.Deliver request) {
    TransactionMessageCodec.write(request.message(), out.kind(RequestCodec.DELIVER));
  }

  @Override
  public void fetch(Request.Fetch request) {
    out.kind(RequestCodec.FETCH).text(request.from());
  }

  @Override
  public void toReplica(Request.ToReplica request) {
    out.kind(RequestCodec.TO_COPY).text(request.from()).text(request.to());
    ReplicaMessageCodec.write(request.message(), out);
  }

  @Override
  public void toRegister(Request.ToRegister request) {
    out.kind(RequestCodec.TO_REGISTER).text(request.to()).bytes(request.call());
  }

  @Override
  public void renew(Request.Renew request) {
    out.kind(RequestCodec.RENEW).text(request.address()).number(request.group());
  }

  @Override
  public void beginReplicas(Request.BeginReplicas request) {
    out.kind(RequestCodec.BEGIN_REPLICAS).size(request.replicas());
  }

  @Override
  public void evenOut(Request.BalanceLeaders request) {
    out.kind(RequestCodec.EVEN_OUT);
  }

  @Override
  public void closeOwn(Request.CloseOwn request) {
    out.kind(RequestCodec.CLOSE_OWN);
  }

  @Override
  public void ofMove(Request.OfMove request) {
    request.handTo((Request.MoveReceiver<WireOutput, RuntimeException>) this);
  }

  @Override
  public WireOutput startHandoff(Request.StartHandoff request) {
    return out.kind(RequestCodec.COPY).number(request.move()).text(request.to());
  }

  @Override
  public WireOutput readFile(Request.ReadFile request) {
    return out.kind(RequestCodec.READ_FILE)
        .number(request.move())
        .text(request.name())
        .number(request.from())
        .size(request.length());
  }

  @Override
  public WireOutput suspendCheckpoints(Request.SuspendCheckpoints request) {
    return out.kind(RequestCodec.QUIET).number(request.move());
  }

  @Override
  public WireOutput fence(Request.Fence request) {
    return out.kind(RequestCodec.HAND_OVER).number(request.move());
  }

  @Override
  public WireOutput completeHandoff(Request.CompleteHandoff request) {
    return out.kind(RequestCodec.GIVE)
        .number(request.move())
        .text(request.to())
        .number(request.minEpoch());
  }

  @Override
  public WireOutput abortHandoff(Request.AbortHandoff request) {
    return out.kind(RequestCodec.KEEP).number(request.move());
  }
}
