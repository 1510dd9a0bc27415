namespace Sc2Bridge.Bench;

/// <summary>What one operation on one message costs.</summary>
/// <param name="Message">The message's name.</param>
/// <param name="Format"><c>protobuf</c> or <c>JSON</c>.</param>
/// <param name="Library">Whose code.</param>
/// <param name="Verb"><c>write</c> or <c>read</c>.</param>
/// <param name="UsedBytes">The bytes written, or those of the serialized message that is read.</param>
/// <param name="NsEach">Nanoseconds, the median of the rounds.</param>
/// <param name="AllocatedBytesEach">Bytes allocated.</param>
/// <param name="AllocationsEach">Objects allocated, estimated; null where the runtime tells nothing.</param>
/// <param name="By">What measured the time and the bytes.</param>
internal sealed record MessageRow(
    string Message,
    string Format,
    string Library,
    string Verb,
    int UsedBytes,
    double NsEach,
    double AllocatedBytesEach,
    double? AllocationsEach,
    string By)
{
    /// <summary>Bytes allocated for each that is used.</summary>
    public double AllocatedOverUsed => AllocatedBytesEach / UsedBytes;
}

/// <summary>Times operations on messages in rounds, each round all of them in turn.</summary>
internal static class MessageTable
{
    /// <summary>What stands in <see cref="MessageRow.By"/>.</summary>
    public const string Stopwatch = "stopwatch";

    private const int Rounds = 5;

    /// <summary>Measures.</summary>
    /// <param name="operations">What is timed.</param>
    /// <param name="roundTime">How long an operation is repeated in each round.</param>
    public static IReadOnlyList<MessageRow> Measure(IEnumerable<MessageOperation> operations, TimeSpan roundTime)
    {
        var all = operations.ToArray();
        var calls = all.Select(operation => Calibrate(operation, roundTime)).ToArray();
        var times = all.Select(_ => new List<double>()).ToArray();
        var bytes = new double[all.Length];
        Array.Fill(bytes, double.PositiveInfinity);
        for (var round = 0; round < Rounds; round++)
        {
            for (var index = 0; index < all.Length; index++)
            {
                var before = GC.GetAllocatedBytesForCurrentThread();
                var ns = Ns(all[index], calls[index]);
                var allocated = GC.GetAllocatedBytesForCurrentThread() - before;
                times[index].Add(ns);
                // What a round has above the others is the runtime's own.
                bytes[index] = Math.Min(bytes[index], (double)allocated / calls[index]);
            }
        }

        using var counter = new AllocationCounter();
        return [.. all.Select((operation, index) => new MessageRow(
            operation.Message,
            operation.Format,
            operation.Library,
            operation.Verb,
            operation.UsedBytes,
            Statistics.Median(times[index]),
            bytes[index],
            counter.Count(operation.Do, bytes[index], Statistics.Median(times[index])),
            Stopwatch))];
    }

    // How many calls fill the time; compiles them meanwhile.
    private static int Calibrate(MessageOperation operation, TimeSpan time)
    {
        var calls = 1;
        while (calls < 1 << 24)
        {
            var ns = Ns(operation, calls) * calls;
            if (ns >= time.TotalNanoseconds / 2)
            {
                return Math.Max(1, (int)(calls * time.TotalNanoseconds / ns));
            }

            calls *= 2;
        }

        return calls;
    }

    private static double Ns(MessageOperation operation, int calls)
    {
        var started = System.Diagnostics.Stopwatch.GetTimestamp();
        for (var call = 0; call < calls; call++)
        {
            GC.KeepAlive(operation.Do());
        }

        return System.Diagnostics.Stopwatch.GetElapsedTime(started).TotalNanoseconds / calls;
    }
}
