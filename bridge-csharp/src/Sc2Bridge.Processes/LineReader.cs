using System.Text;

namespace Sc2Bridge.Processes;

/// <summary>Reads the output of a program line by line. Splits lines that are too long, because they could fill the memory.</summary>
internal static class LineReader
{
    internal const int LongestLine = 1 << 16;

    /// <summary>Reads until the output ends.</summary>
    /// <param name="reader">The output.</param>
    /// <param name="onLine">Receives each line, without the line break.</param>
    internal static async Task ReadAsync(TextReader reader, Action<string> onLine)
    {
        var buffer = new char[4096];
        var line = new StringBuilder();
        while (await reader.ReadAsync(buffer) is > 0 and var count)
        {
            for (var index = 0; index < count; index++)
            {
                var character = buffer[index];
                if (character == '\n' || line.Length == LongestLine)
                {
                    EmitLine();
                }

                if (character != '\n')
                {
                    line.Append(character);
                }
            }
        }

        if (line.Length > 0)
        {
            EmitLine();
        }

        void EmitLine()
        {
            onLine(line is [.., '\r'] ? line.ToString(0, line.Length - 1) : line.ToString());
            line.Clear();
        }
    }
}
