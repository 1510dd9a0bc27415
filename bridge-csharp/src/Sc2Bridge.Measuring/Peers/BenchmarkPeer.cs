using Sc2Bridge.Measuring.Messages;

namespace Sc2Bridge.Measuring.Peers;

/// <summary>Measures with BenchmarkDotNet, in the project of the codec benchmarks, which is built where it is not.</summary>
public static class BenchmarkPeer
{
    /// <summary>Measures small, medium and large messages.</summary>
    /// <param name="ct">Ends it.</param>
    /// <exception cref="MeasuringException">It cannot be built or run.</exception>
    public static async Task<IReadOnlyList<MessageRow>> MessagesAsync(CancellationToken ct)
    {
        var root = RepositoryFolder.Root
            ?? throw new MeasuringException("the program stands outside of its repository, which has the benchmarks");
        var project = Path.Combine(root, "bridge-csharp", "perf", "Sc2Bridge.Codec.Benchmarks");
        return await PeerProcess.RunAsync<List<MessageRow>>(
            "dotnet",
            ["run", "--project", project, "--configuration", "Release", "--", "messages"],
            new Dictionary<string, string>(),
            [],
            ct);
    }
}
