using System.Buffers;
using System.CommandLine;
using System.Text.Json;
using Google.Protobuf;
using Sc2Bridge.Streaming;
using Sc2Bridge.V1;

namespace Sc2Bridge.Bench;

/// <summary>The frames that one subscription received, with their times.</summary>
/// <param name="order">The order, which says what counts.</param>
/// <param name="meter">The process's meter.</param>
internal sealed class ReceivedFrames(ReceiveOrder order, ReceiverMeter meter)
{
    // A limit for a slow subscriber, which would otherwise receive its backlog for minutes.
    private const long PatienceNs = 2_000_000_000;

    private readonly bool _isText = order.Encoding == "json";
    private long? _countedFrom;
    private (ulong Step, long ParsedNs)? _last;

    /// <summary>Time from the game's answer until the message has arrived.</summary>
    public List<double> HeldUs { get; } = [];

    /// <summary>Time until it is parsed.</summary>
    public List<double> ParsedUs { get; } = [];

    public List<double> DecodeUs { get; } = [];

    public List<long> Bytes { get; } = [];

    public long Lost { get; private set; }

    public bool Take(ReadOnlySequence<byte> message)
    {
        var held = MonotonicClock.NowNs;
        var frame = !order.Parse ? FrameHead.Read(message, _isText) : _isText ? ParseText(message) : Parse(message);
        if (frame is var (step, observed) && Note(held, MonotonicClock.NowNs, step, observed, message.Length))
        {
            return true;
        }

        if (_last is { } last)
        {
            meter.End(last.ParsedNs);
        }

        return false;
    }

    private static (ulong Step, long ObservedNs)? Parse(ReadOnlySequence<byte> message)
    {
        var received = PlayResponse.Parser.ParseFrom(message);
        return received.Error is { } error ? throw new CommandException(error.Message)
            : received.Frame is { } frame ? (frame.Step, frame.ObservedNs)
            : null;
    }

    private static (ulong Step, long ObservedNs)? ParseText(ReadOnlySequence<byte> message)
    {
        using var document = JsonDocument.Parse(message);
        return document.RootElement.TryGetProperty("error", out var error)
            ? throw new CommandException(error.ToString())
            : FrameHead.Read(message, isText: true);
    }

    private bool Note(long held, long parsed, ulong step, long observed, long length)
    {
        var from = _countedFrom ??= observed + (long)(order.WarmUpSeconds * 1e9);
        if (observed < from)
        {
            return true;
        }

        if (_last is { } last)
        {
            Lost += (long)step - (long)last.Step - 1;
        }
        else
        {
            meter.Begin(parsed);
        }

        _last = (step, parsed);
        HeldUs.Add((held - observed) / 1000.0);
        Bytes.Add(length);
        if (order.Parse)
        {
            ParsedUs.Add((parsed - observed) / 1000.0);
            DecodeUs.Add((parsed - held) / 1000.0);
        }

        return parsed - from <= (long)(order.Seconds * 1e9) + PatienceNs;
    }
}

/// <summary>
/// The resources that this process uses from the first counted frame to the last, for all its subscriptions. It starts when
/// the first frame is parsed, so that the number of frames equals the number of periods.
/// </summary>
internal sealed class ReceiverMeter
{
    private readonly Lock _lock = new();
    private (long Ns, double Cpu)? _begin;
    private (long Ns, double Cpu) _end;

    public double Seconds => _begin is { } begin ? (_end.Ns - begin.Ns) / 1e9 : 0;

    /// <summary>Its time on all processors.</summary>
    public double CpuSeconds => _begin is { } begin ? _end.Cpu - begin.Cpu : 0;

    /// <summary>Call after a subscription's first counted frame. Only the last subscription's call matters.</summary>
    public void Begin(long parsedNs)
    {
        lock (_lock)
        {
            _begin = _end = (parsedNs, Cpu());
        }
    }

    public void End(long parsedNs)
    {
        lock (_lock)
        {
            _end = (Math.Max(_end.Ns, parsedNs), Cpu());
        }
    }

    private static double Cpu() => Environment.CpuUsage.TotalTime.TotalSeconds;
}

/// <summary>
/// Subscribers in C#, in their own process: an agent that parses frames, or any number of light subscribers that read only a
/// frame's head.
/// </summary>
internal static class ReceivingProcess
{
    private static readonly string _agent = $".NET {Environment.Version}, Grpc.Net.Client and ClientWebSocket";

    /// <summary>The command that the process runs.</summary>
    public static Command Create() => BenchCommand.Worker("receive", [], (_, ct) =>
        WorkerLoop.RunAsync<ReceiveOrder, ReceiveResult>(new { agent = _agent }, ReceiveAsync, ct));

    private static async Task<ReceiveResult> ReceiveAsync(ReceiveOrder order, CancellationToken ct)
    {
        // The match waits for a slow subscriber, so that no frame is lost.
        var request = new SubscribeRequest
        {
            Policy = Policy.Every,
            Overflow = Overflow.Pause,
            Agent = "subscriber",
            Compression = order.Compression == Measurement.Word(Packing.GroupZstd) ? Compression.GroupZstd : Compression.None,
        };
        var meter = new ReceiverMeter();
        var all = Enumerable.Range(0, order.Subscribers).Select(_ => new ReceivedFrames(order, meter)).ToList();
        await Task.WhenAll(all.Select(each =>
            SubscriberClient.RunAsync(order.Url, order.Encoding == "json", request, each.Take, ct)));
        return new ReceiveResult(
            _agent, [.. all.SelectMany(each => each.HeldUs)], [.. all.SelectMany(each => each.ParsedUs)],
            [.. all.SelectMany(each => each.DecodeUs)], [.. all[0].Bytes], all.Sum(each => each.Lost), meter.Seconds, meter.CpuSeconds,
            Environment.WorkingSet);
    }
}
