using System.Globalization;

// The made-up installation's SC2_x64 starts this program with `stand-in MODE` before the game's arguments; otherwise it
// runs the tests.
if (args is ["stand-in", var mode, ..])
{
    if (mode == "crash")
    {
        Console.Error.WriteLine("loading the map");
        Console.Error.WriteLine("Fatal: out of cheese");
        return 42;
    }

    var port = int.Parse(args[Array.IndexOf(args, "-port") + 1], CultureInfo.InvariantCulture);
    var game = new StandInGame();
    await using var server = ScriptedGame.Start(
        connection => connection.ServeAsync(request =>
        {
            if (mode == "crash-in-game" && request.Step is not null)
            {
                Console.Error.WriteLine("Fatal: lost its mind");
                Environment.Exit(43);
            }

            return game.Answer(request);
        }),
        port);
    await server.Served;
    return 0;
}

return await Xunit.Runner.InProc.SystemConsole.ConsoleRunner.Run(args);
