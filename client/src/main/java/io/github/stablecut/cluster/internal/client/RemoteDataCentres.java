package io.github.stablecut.cluster.internal.client;

import io.github.stablecut.client.NotInProtocolException;
import io.github.stablecut.cluster.internal.call.Answer;
import io.github.stablecut.cluster.internal.call.Call;
import io.github.stablecut.replication.DataCentre;
import io.github.stablecut.replication.DataCentres;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.OptionalInt;

/** The data centres of a remote store; every method asks the server. Thread-safe. */
record RemoteDataCentres(RemoteStore store) implements DataCentres {
  private Answer.DataCentreList ask() {
    return RemoteValues.as(Answer.DataCentreList.class, store.call(Call.Plain.DATA_CENTRES));
  }

  @Override
  public boolean isRemote() {
    return true;
  }

  @Override
  public int own() {
    return ask().own();
  }

  @Override
  public OptionalInt port() {
    return ask().port();
  }

  @Override
  public long group() {
    return ask().group();
  }

  @Override
  public boolean isNew() {
    return ask().isNew();
  }

  @Override
  public List<DataCentre> all() {
    return ask().all();
  }

  @Override
  public boolean isCluster() {
    return ask().isCluster();
  }

  @Override
  public void detach(int number) {
    throw refused();
  }

  @Override
  public void leave(Duration atMost) {
    throw refused();
  }

  @Override
  public int invite(Path target) {
    throw refused();
  }

  private static NotInProtocolException refused() {
    return new NotInProtocolException(
        "a client can't change the group of data centres: use stablecut dc with the server's admin port,"
            + " or open the store in its own process");
  }
}
