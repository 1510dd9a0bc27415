using System.Globalization;
using Sc2Bridge.Server;

namespace Sc2Bridge.Cli;

/// <summary>Builds the arguments for an agent: its name, and how it connects to the bridge.</summary>
internal static class AgentArguments
{
    /// <summary>The name that an agent subscribes under.</summary>
    internal static string NameOf(AgentSpec spec, int index)
    {
        var kind = spec.Target[(spec.Target.IndexOf(':', StringComparison.Ordinal) + 1)..].ToLowerInvariant();
        return $"{kind}-{index + 1}-{spec.TransportText}";
    }

    /// <summary>Builds the arguments after <c>python -m sc2bridge run</c>.</summary>
    internal static List<string> Build(AgentSpec spec, int index, SessionOptions options, BridgeServer server, bool realtime)
    {
        List<string> arguments = [spec.Target, "--name", NameOf(spec, index), "--policy", options.Policy, "--ignore-interrupt"];

        // Before the agent is dropped for its deadline, it prints the stack of the step that takes too long. Agents refuse 0.
        var stackAfter = Math.Max(0.001, 0.7 * Math.Min(options.Hub.LockstepDeadline.TotalSeconds, StepSpans.SlowUs / 1e6));
        arguments.AddRange(["--stack-seconds", stackAfter.ToString("0.###", CultureInfo.InvariantCulture)]);
        arguments.AddRange(["--content", spec.Content, "--compression", spec.Compression]);
        if (spec.Side is { } side)
        {
            arguments.AddRange(["--perspective", side.ToString(CultureInfo.InvariantCulture)]);
        }

        arguments.AddRange(spec.Transport switch
        {
            "grpc" => ["--bridge", ServerUrl.Grpc(server.GrpcAddress, options.Access.Tls, isSameMachine: true)],
            "shm" => ["--bridge", server.SharedMemoryAddress],
            var encoding => ["--bridge", ServerUrl.Web(server.WebAddress, options.Access.Tls, isSameMachine: true), "--encoding", encoding],
        });
        if (options.Policy == "every")
        {
            arguments.AddRange(["--overflow", realtime ? "end" : "pause"]);
        }

        return arguments;
    }
}
