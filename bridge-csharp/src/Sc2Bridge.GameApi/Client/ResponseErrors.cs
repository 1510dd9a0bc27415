using SC2APIProtocol;

namespace Sc2Bridge.GameApi;

/// <summary>
/// The errors in an answer: the list of <c>Response.error</c> where there is no body, or the typed <c>error</c> and
/// <c>error_details</c> that several bodies carry (ResponseCreateGame, ResponseJoinGame, ResponseStartReplay …).
/// </summary>
internal static class ResponseErrors
{
    internal static void ThrowIfRefused(Request.RequestOneofCase request, Response response)
    {
        if (response.ResponseCase == Response.ResponseOneofCase.None)
        {
            throw new GameRequestException(request, [.. response.Error]);
        }

        if (Typed(response) is { } typed)
        {
            throw new GameRequestException(request, [typed, .. response.Error]);
        }
    }

    // By reflection over the body's own fields: every body that has a typed error names it the same, and a body that
    // gains one later is not forgotten.
    private static string? Typed(Response response)
    {
        var body = Response.Descriptor.FindFieldByNumber((int)response.ResponseCase);
        if (body.MessageType.FindFieldByName("error") is not { IsRepeated: false } error ||
            body.Accessor.GetValue(response) is not Google.Protobuf.IMessage message ||
            !error.Accessor.HasValue(message))
        {
            return null;
        }

        var name = error.Accessor.GetValue(message).ToString();
        var details = body.MessageType.FindFieldByName("error_details");
        return details is not null && details.Accessor.HasValue(message)
            ? $"{name} ({details.Accessor.GetValue(message)})"
            : name;
    }
}
