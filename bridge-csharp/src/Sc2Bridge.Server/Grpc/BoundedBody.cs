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

/// <summary>A request's body, of which no more is held of an unfinished message than all clients together may.</summary>
internal sealed class BoundedBody : PipeReader, IRequestBodyPipeFeature, IDisposable
{
    private readonly PipeReader _body;
    private readonly UnfinishedMessages _all;
    private readonly UnfinishedMessage _message;
    private ReadOnlySequence<byte> _read;

    private BoundedBody(PipeReader body, UnfinishedMessages all)
    {
        (_body, _all) = (body, all);
        _message = all.Of(body.CancelPendingRead);
    }

    PipeReader IRequestBodyPipeFeature.Reader => this;

    /// <summary>Bounds every request's.</summary>
    public static void Use(IApplicationBuilder app, UnfinishedMessages unfinished) => app.Use(next => async http =>
    {
        using var body = new BoundedBody(http.Features.GetRequiredFeature<IRequestBodyPipeFeature>().Reader, unfinished);
        http.Features.Set<IRequestBodyPipeFeature>(body);
        await next(http);
    });

    /// <summary>The request is over.</summary>
    public void Dispose() => _message.Dispose();

    // Pooled: this runs for every message of an agent.
    [AsyncMethodBuilder(typeof(PoolingAsyncValueTaskMethodBuilder<>))]
    public override async ValueTask<ReadResult> ReadAsync(CancellationToken cancellationToken = default) =>
        Bound(await _body.ReadAsync(cancellationToken));

    public override bool TryRead(out ReadResult result)
    {
        var isRead = _body.TryRead(out result);
        if (isRead)
        {
            Bound(result);
        }

        return isRead;
    }

    public override void AdvanceTo(SequencePosition consumed) => AdvanceTo(consumed, consumed);

    public override void AdvanceTo(SequencePosition consumed, SequencePosition examined)
    {
        if (!consumed.Equals(_read.Start))
        {
            // What follows is another message.
            _message.Resize(0);
        }

        _read = default;
        _body.AdvanceTo(consumed, examined);
    }

    public override void CancelPendingRead() => _body.CancelPendingRead();

    public override void Complete(Exception? exception = null) => _body.Complete(exception);

    public override ValueTask CompleteAsync(Exception? exception = null) => _body.CompleteAsync(exception);

    private ReadResult Bound(ReadResult result)
    {
        _read = result.Buffer;
        if (_message.Resize(_read.Length))
        {
            return result;
        }

        _body.AdvanceTo(_read.End);
        throw new RpcException(new Status(StatusCode.ResourceExhausted, _all.Refusal));
    }
}
