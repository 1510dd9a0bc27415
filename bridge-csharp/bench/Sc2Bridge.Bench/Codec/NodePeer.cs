using System.Diagnostics;

namespace Sc2Bridge.Bench;

/// <summary>What Node measured.</summary>
/// <param name="Runtime">Its version and the libraries'.</param>
/// <param name="Rows">Times of protobufjs and of JSON.</param>
internal sealed record NodeResult(string Runtime, IReadOnlyList<CodecRow> Rows);

/// <summary>
/// What is measured in Node, with the scripts of <c>bench/node</c>, whose packages npm installs at the versions of its
/// lock file on the first call.
/// </summary>
internal static class NodePeer
{
    // What the scripts need, by their folders.
    private static readonly string[] _packages = ["protobufjs", "ws", Path.Combine("@grpc", "grpc-js")];

    /// <summary>Measures.</summary>
    /// <param name="observations">Serialized <c>ResponseObservation</c>s.</param>
    /// <param name="ct">Ends it.</param>
    /// <exception cref="CommandException">Node or its packages are not to be had; the message is for a table's reader.</exception>
    public static async Task<NodeResult> MeasureAsync(IEnumerable<byte[]> observations, CancellationToken ct)
    {
        var words = await WordsAsync("codec_times.js", ct);
        return await PeerProcess.RunAsync<NodeResult>(new ProcessStartInfo(words[0], words.Skip(1)), observations, ct);
    }

    /// <summary>The words that run one of the scripts, whose packages are there then.</summary>
    /// <param name="script">Its name; it is told the folder of the protos.</param>
    /// <param name="ct">Gives up.</param>
    /// <exception cref="CommandException">Node or its packages are not to be had.</exception>
    public static async Task<IReadOnlyList<string>> WordsAsync(string script, CancellationToken ct)
    {
        var root = RepositoryFolder.Root
            ?? throw new CommandException("the program stands outside of its repository, which has the script");
        var folder = Path.Combine(root, "bridge-csharp", "bench", "node");
        await RunAsync(folder, "node", ["--version"], "does not run", ct);
        if (!_packages.All(package => Directory.Exists(Path.Combine(folder, "node_modules", package))))
        {
            await RunAsync(
                folder,
                "npm",
                ["ci", "--ignore-scripts", "--no-audit", "--no-fund", "--fetch-retries", "1"],
                "could not install its packages (is its registry reachable?)",
                ct);
        }

        return ["node", Path.Combine(folder, script), Path.Combine(root, "proto")];
    }

    private static async Task RunAsync(
        string folder, string program, string[] arguments, string failed, CancellationToken ct)
    {
        try
        {
            await ProcessRun.ToEndAsync(new ProcessStartInfo(program, arguments) { WorkingDirectory = folder }, ct);
        }
        catch (CommandException problem)
        {
            throw new CommandException(problem.InnerException is null
                ? $"{program} {failed}"
                : $"'{program}' is not installed, or not on PATH");
        }
    }
}
