using System.Buffers;
using System.IO.Pipelines;
using System.Runtime.CompilerServices;
using Grpc.Core;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Http.Features;
using Sc2Bridge.Admission;
using Sc2Bridge.Protocol;
using StatusCode = Grpc.Core.StatusCode;

namespace Sc2Bridge.Server;

/// <summary>The body of a request. Limits the total bytes of the unfinished messages of all clients.</summary>
internal sealed class BoundedBody : PipeReader, IRequestBodyPipeFeature, IDisposable
{
    private readonly PipeReader _body;
    private readonly UnfinishedMessages _unfinished;
    private readonly UnfinishedMessage _message;
    private ReadOnlySequence<byte> _buffer;

    private BoundedBody(PipeReader body, UnfinishedMessages unfinished)
    {
        (_body, _unfinished) = (body, unfinished);
        _message = unfinished.Track(body.CancelPendingRead);
    }

    PipeReader IRequestBodyPipeFeature.Reader => this;

    /// <summary>Installs the limit for every request.</summary>
    public static void Use(IApplicationBuilder app, UnfinishedMessages unfinished) => app.Use(next => async http =>
    {
        using var body = new BoundedBody(http.Features.GetRequiredFeature<IRequestBodyPipeFeature>().Reader, unfinished);
        http.Features.Set<IRequestBodyPipeFeature>(body);
        await next(http);
    });

    /// <summary>Called when the request has ended.</summary>
    public void Dispose() => _message.Dispose();

    // Uses pooled objects, because this method runs for every message of an agent.
    [AsyncMethodBuilder(typeof(PoolingAsyncValueTaskMethodBuilder<>))]
    public override async ValueTask<ReadResult> ReadAsync(CancellationToken cancellationToken = default) =>
        CheckLimit(await _body.ReadAsync(cancellationToken));

    public override bool TryRead(out ReadResult result)
    {
        var isRead = _body.TryRead(out result);
        if (isRead)
        {
            CheckLimit(result);
        }

        return isRead;
    }

    public override void AdvanceTo(SequencePosition consumed) => AdvanceTo(consumed, consumed);

    public override void AdvanceTo(SequencePosition consumed, SequencePosition examined)
    {
        if (!consumed.Equals(_buffer.Start))
        {
            // A message was consumed, so the next bytes belong to another message.
            _message.Resize(0);
        }

        _buffer = default;
        _body.AdvanceTo(consumed, examined);
    }

    public override void CancelPendingRead() => _body.CancelPendingRead();

    public override void Complete(Exception? exception = null) => _body.Complete(exception);

    public override ValueTask CompleteAsync(Exception? exception = null) => _body.CompleteAsync(exception);

    private ReadResult CheckLimit(ReadResult result)
    {
        _buffer = result.Buffer;
        if (_message.Resize(_buffer.Length))
        {
            return result;
        }

        _body.AdvanceTo(_buffer.End);
        throw new RpcException(new Status(StatusCode.ResourceExhausted, _unfinished.RefusalMessage));
    }
}
