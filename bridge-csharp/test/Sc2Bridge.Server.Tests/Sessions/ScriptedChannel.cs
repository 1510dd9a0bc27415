using System.Threading.Channels;
using Sc2Bridge.Encodings.Payloads;

namespace Sc2Bridge.Server.Tests;

/// <summary>A scripted client.</summary>
internal sealed class ScriptedChannel : IMessageChannel
{
    private readonly Channel<Func<PlayRequest?>> _said = Channel.CreateUnbounded<Func<PlayRequest?>>();
    private volatile bool _isAborted;

    public string Transport => "test";

    public MessageForm Form => MessageForm.Proto;

    public bool Compresses => false;

    public bool IsCall => false;

    public bool ClosesWithError => true;

    public bool IsAborted => _isAborted;

    /// <summary>The error with which the session closed. Null before that, or without an error.</summary>
    public Error? Failure { get; private set; }

    /// <summary>Called with each frame that is written.</summary>
    public Action OnFrame { get; set; } = () => { };

    public void Say(PlayRequest? message) => Say(() => message);

    /// <summary>Sets what the next read does.</summary>
    public void Say(Func<PlayRequest?> read) => _said.Writer.TryWrite(read);

    public async ValueTask<PlayRequest?> ReadAsync(Func<long, bool> mayBuffer)
    {
        try
        {
            return (await _said.Reader.ReadAsync(Ct))();
        }
        catch (ChannelClosedException)
        {
            return _isAborted ? throw new PeerGoneException() : null;
        }
    }

    public ValueTask WriteAsync(MessageSegments message, bool isCompressed)
    {
        var tag = (message.Head.IsEmpty ? message.Body : message.Head).Span[0];
        if (tag >> 3 == PlayResponse.FrameFieldNumber)
        {
            OnFrame();
        }

        return ValueTask.CompletedTask;
    }

    public ValueTask WaitUntilSentAsync(Subscription subscription, CancellationToken ct) => ValueTask.CompletedTask;

    public ValueTask CloseAsync(uint? code, string reason)
    {
        Failure = code is { } error ? new Error { Code = error, Message = reason } : null;
        _said.Writer.TryComplete();
        return ValueTask.CompletedTask;
    }

    public void Abort()
    {
        _isAborted = true;
        _said.Writer.TryComplete();
    }
}
