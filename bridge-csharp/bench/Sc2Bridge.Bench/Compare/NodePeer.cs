using System.Diagnostics;

namespace Sc2Bridge.Bench;

/// <summary>The agent in Node of <c>bench/node</c>, on the packages that the tests have too.</summary>
internal static class NodePeer
{
    /// <summary>The words that run it.</summary>
    /// <exception cref="CommandException">There is no Node, or it lacks the packages; the message says so.</exception>
    public static async Task<IReadOnlyList<string>> WordsAsync(CancellationToken ct)
    {
        var root = RepositoryFolder.Root
            ?? throw new CommandException("the program stands outside of its repository, which has the script");
        try
        {
            await ProcessRun.ToEndAsync(new ProcessStartInfo("node", ["--version"]), ct);
        }
        catch (CommandException problem)
        {
            throw new CommandException(
                problem.InnerException is null ? "node does not run" : "'node' is not installed, or not on PATH");
        }

        var packages = Path.Combine(root, "tools", "peers", "node_modules");
        return Directory.Exists(Path.Combine(packages, "protobufjs"))
            ?
            [
                "node", Path.Combine(root, "bridge-csharp", "bench", "node", "receive.js"), Path.Combine(root, "proto"),
                packages,
            ]
            : throw new CommandException("its packages are not installed: run tools/set-up --test");
    }
}
