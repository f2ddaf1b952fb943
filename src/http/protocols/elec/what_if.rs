//! `/what-if`: the cost of a range with another battery, other panels or another load.

use actix_web::http::Method;
use actix_web::{HttpRequest, HttpResponse, web};

use super::json::uncached;
use super::names::END_TIME;
use super::statement::account_and_range;
use crate::house::{WhatIfAnswer, WhatIfError, WhatIfField, WhatIfForm, what_if};
use crate::http::gate::auth::reader;
use crate::http::gate::{AppState, Credentials, PriceSender};
use crate::http::wire::ApiError;
use crate::http::wire::params::param;

/// `GET /what-if`, and `POST /what-if` with a profile of panels as the body. Nothing is stored.
pub(crate) async fn answer(
    request: HttpRequest,
    payload: web::Payload,
    app: web::Data<AppState>,
) -> Result<HttpResponse, ApiError> {
    let query = request.query_string();
    let mut form = WhatIfForm::read(|field| match field {
        WhatIfField::Profile => Ok(None),
        field => param(query, field.as_str()),
    })?;
    let has_body = request.method() == Method::POST;
    if !has_body {
        // Before the credentials, as other parameters.
        form.question().map_err(refusal)?;
    }
    let (account, range) = account_and_range(&app, &request)?;
    let question = if has_body {
        let id = Credentials::of_query(&request)?.id().clone();
        let sender = PriceSender::Key(account.name.clone(), id);
        let (body, upload) = app.read_prices(&request, (payload, sender)).await?;
        // And after it, because it may have come slowly, and the key may have been revoked meanwhile.
        reader(&app, &request)?;
        let parse = move || {
            let text = String::from_utf8(body.bytes)
                .map_err(|_| ApiError::unfit("body", "expected text in UTF-8"))?;
            form.profile = Some(text);
            let question = form.question().map_err(refusal);
            // Only the parsed profile is needed now.
            drop((form, body.reserved));
            question
        };
        upload.run(parse).await??
    } else {
        form.question().map_err(refusal)?
    };
    let (name, now) = (account.name.clone(), app.counted_now());
    let computed = move |store: &_| {
        let found = what_if(store, &account, (range, now), question).map_err(refusal)?;
        Ok::<_, ApiError>(WhatIfAnswer::new(&account, &found))
    };
    Ok(uncached(app.report(&name, computed).await??))
}

fn refusal(error: WhatIfError) -> ApiError {
    match (error.field(), error) {
        (_, WhatIfError::Store(error)) => error.into(),
        (Some(WhatIfField::Profile), error) => ApiError::unfit("body", error.to_string()),
        (Some(field), error) => ApiError::unfit(field.as_str(), error.to_string()),
        (None, error) => ApiError::unfit(END_TIME, error.to_string()),
    }
}
