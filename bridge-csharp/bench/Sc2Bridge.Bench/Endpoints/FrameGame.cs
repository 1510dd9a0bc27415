using Sc2Bridge.GameApi;
using Sc2Bridge.Games;
using Sc2Bridge.Simulator;
using Sc2Bridge.Streaming;

namespace Sc2Bridge.Bench;

/// <summary>
/// The simulated game as a process of its own that answers with the benchmark's frames: its world would cost more than
/// the way there and back, which is what subscribers might disturb.
/// </summary>
internal static class FrameGame
{
    /// <summary>The first argument of a process that is to be that game.</summary>
    public const string Name = "simulate";

    /// <summary>Runs the game with the arguments of the real one, which are no options of this program.</summary>
    public static async Task<int> RunAsync(string[] arguments, CancellationToken ct)
    {
        await using var server = await SimulatedGameServer.StartAsync(SimulatorOptions.Parse(arguments), ct);
        Console.WriteLine($"the benchmark's frames on port {server.Port}");
        await server.Ended.WaitAsync(ct);
        return 0;
    }

    public static GameLaunch Launch(string folder) =>
        GameLaunch.SimulatedGame(OwnProgram.CommandWords[0], [.. OwnProgram.CommandWords.Skip(1), Name]) with
        {
            MoreArguments = ["-observations", folder, "-observationsRepeat", "-quitWhenAlone"],
        };
}
