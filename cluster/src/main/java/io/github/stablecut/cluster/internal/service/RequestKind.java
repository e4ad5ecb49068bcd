package io.github.stablecut.cluster.internal.service;

import io.github.stablecut.cluster.internal.antidote.Request;
import io.github.stablecut.cluster.internal.call.Call;
import java.util.Locale;

/** The kind of a request: a label of metrics. */
public enum RequestKind {
  START,
  READ,
  UPDATE,
  COMMIT,
  ABORT,
  STATIC_READ,
  STATIC_UPDATE,
  VALIDATE,
  /** Requests about data centres, and calls about the store. */
  ADMINISTRATION,
  /** Calls that open, use, renew or close a point, a pin, a scan or a watch. */
  STREAM,
  /** Malformed requests. */
  INVALID,
  /** Requests that were refused unread: the server is overloaded or stopping. */
  REFUSED;

  static RequestKind of(Request request) {
    return request.accept(new Kind());
  }

  private static final class Kind implements Request.Visitor<RequestKind> {
    @Override
    public RequestKind start(Request.Start request) {
      return START;
    }

    @Override
    public RequestKind abort(Request.Abort request) {
      return ABORT;
    }

    @Override
    public RequestKind commit(Request.Commit request) {
      return COMMIT;
    }

    @Override
    public RequestKind read(Request.Read request) {
      return READ;
    }

    @Override
    public RequestKind update(Request.Update request) {
      return UPDATE;
    }

    @Override
    public RequestKind staticUpdate(Request.StaticUpdate request) {
      return STATIC_UPDATE;
    }

    @Override
    public RequestKind staticRead(Request.StaticRead request) {
      return STATIC_READ;
    }

    @Override
    public RequestKind validate(Request.Validate request) {
      return VALIDATE;
    }

    @Override
    public RequestKind createDataCentre(Request.CreateDataCentre request) {
      return ADMINISTRATION;
    }

    @Override
    public RequestKind connectDataCentres(Request.ConnectDataCentres request) {
      return ADMINISTRATION;
    }

    @Override
    public RequestKind describeConnection(Request.DescribeConnection request) {
      return ADMINISTRATION;
    }
  }

  static RequestKind of(Call call) {
    return call.accept(new CallKind());
  }

  private static final class CallKind implements Call.Visitor<RequestKind> {
    @Override
    public RequestKind hello(Call.Hello call) {
      return ADMINISTRATION;
    }

    @Override
    public RequestKind read(Call.Read call) {
      return STATIC_READ;
    }

    @Override
    public RequestKind write(Call.Write call) {
      return STATIC_UPDATE;
    }

    @Override
    public RequestKind writeIf(Call.WriteIf call) {
      return STATIC_UPDATE;
    }

    @Override
    public RequestKind writeOnce(Call.WriteOnce call) {
      return STATIC_UPDATE;
    }

    @Override
    public RequestKind begin(Call.Begin call) {
      return START;
    }

    @Override
    public RequestKind readIn(Call.ReadIn call) {
      return READ;
    }

    @Override
    public RequestKind writeIn(Call.WriteIn call) {
      return UPDATE;
    }

    @Override
    public RequestKind beginNested(Call.BeginNested call) {
      return START;
    }

    @Override
    public RequestKind end(Call.End call) {
      return call.ending() == Call.Ending.COMMIT ? COMMIT : ABORT;
    }

    @Override
    public RequestKind point(Call.Point call) {
      return STREAM;
    }

    @Override
    public RequestKind nearSnapshot(Call.NearSnapshot call) {
      return STREAM;
    }

    @Override
    public RequestKind openPoint(Call.OpenPoint call) {
      return STREAM;
    }

    @Override
    public RequestKind openScan(Call.OpenScan call) {
      return STREAM;
    }

    @Override
    public RequestKind openWatch(Call.OpenWatch call) {
      return STREAM;
    }

    @Override
    public RequestKind take(Call.Take call) {
      return STREAM;
    }

    @Override
    public RequestKind renew(Call.Renew call) {
      return STREAM;
    }

    @Override
    public RequestKind close(Call.Close call) {
      return STREAM;
    }

    @Override
    public RequestKind delete(Call.Delete call) {
      return STATIC_UPDATE;
    }

    @Override
    public RequestKind findPartition(Call.FindPartition call) {
      return ADMINISTRATION;
    }

    @Override
    public RequestKind after(Call.AfterPoint call) {
      return call.call().accept(this);
    }

    @Override
    public RequestKind plain(Call.Plain call) {
      return ADMINISTRATION;
    }
  }

  /** Returns the label's value. */
  public String label() {
    return name().toLowerCase(Locale.ROOT);
  }
}
